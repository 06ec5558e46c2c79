// Starts the page, or says in both languages why it cannot be started.
// A file of its own, because the content security policy allows no script inside the HTML.

// The view is in the fragment, which browsers send to nobody. Addresses of the old form have it in the query: they
// are rewritten before anything is asked for that could carry them on. Where there is a fragment, the query is what
// others hang on to links, and goes.
if (location.search !== "") {
  const fragment = location.hash || `#${location.search.slice(1)}`;
  history.replaceState(null, "", location.pathname + fragment);
}
const view = new URLSearchParams(location.hash.slice(1));

// The style sheet's dark theme and its large type hang on these attributes. They are set before the first paint, so that the page does not flash.
const theme = view.get("theme") ?? remembered("attention-scope.theme");
const systemIsDark = matchMedia("(prefers-color-scheme: dark)").matches;
const dark = theme === "dark" || (theme !== "light" && systemIsDark);
document.documentElement.dataset.theme = dark ? "dark" : "light";
const large = [view.get("large"), remembered("attention-scope.large")].includes("1");
document.documentElement.dataset.type = large ? "large" : "usual";

// The CPU's engine answers first, so it starts while the page itself is still being compiled. The
// page takes it over, with what it has said until then.
if (["cpu", "auto", null].includes(view.get("device"))) {
  try {
    const worker = new Worker("worker-cpu.js", { type: "module" });
    const early = { worker, heard: [], failed: false };
    worker.onmessage = (event) => early.heard.push(event);
    worker.onerror = () => (early.failed = true);
    globalThis.earlyEngine = early;
  } catch {
    // The page tries again, and says what is wrong.
  }
}

// Few visitors want it.
globalThis.loadTaking = () => import("./taking.js");

try {
  // What puts wrong copies right is there before the page can need it; the page goes on without it if it has to.
  const mending = import("./mending.js").catch(() => {});
  const [{ default: start }] = await Promise.all([import("./page.js"), mending]);
  await start();
  // If the code comes wrong once more, the page may be loaded again once more.
  if (history.state?.mended) history.replaceState(null, "");
} catch (error) {
  if (!(await startsAgain())) explain(error);
  throw error;
}

/** Whether the page is loaded once more, since a wrong copy of its code was put right in the browser's cache. */
async function startsAgain() {
  try {
    const { startAgain } = await import("./mending.js");
    return await startAgain("page");
  } catch {
    // What the page died of is told, and not this.
    return false;
  }
}

/** What the visitor chose last, where the browser keeps it. */
function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function explain(error) {
  const supported = typeof WebAssembly === "object";
  const message = document.createElement("div");
  message.className = "crash";
  message.setAttribute("role", "alert");
  message.append(
    paragraph(
      "en",
      supported
        ? "Attention Scope could not be started. Check the connection and reload the page."
        : "Attention Scope needs WebAssembly, which this browser lacks or has switched off. Please use a current Firefox, Chrome, Edge or Safari.",
    ),
    paragraph(
      "zh-Hans",
      supported
        ? "Attention Scope 无法启动。请检查网络连接，然后重新加载页面。"
        : "Attention Scope 需要 WebAssembly，而此浏览器不支持或已将其停用。请使用新版的 Firefox、Chrome、Edge 或 Safari。",
    ),
    paragraph("en", String(error)),
  );
  // Needs none of the code that just failed. A link alone would lose the view in the fragment.
  const reload = document.createElement("a");
  reload.href = "";
  reload.onclick = (event) => {
    event.preventDefault();
    location.reload();
  };
  reload.textContent = "Reload · 重新加载";
  message.append(reload);
  document.body.append(message);
}

function paragraph(language, text) {
  const element = document.createElement("p");
  element.lang = language;
  element.textContent = text;
  return element;
}
