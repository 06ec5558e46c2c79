// Faults of workers: put into their scripts on the way to the browser, so that nothing of them is in the product.

import type { Page } from "@playwright/test";

const CPU = /\/worker-cpu\.\w+\.js$/;

/** Puts `code` in front of a worker's script, the next `most` times that it is asked for; later it comes as it is. */
export async function put(page: Page, code: string, most = 1, script = CPU): Promise<() => number> {
  let times = 0;
  await page.route(script, async (route) => {
    // The page also reads the script, to see whether the browser keeps a wrong copy: no worker starts by that.
    if (times === most || route.request().resourceType() === "fetch") return route.continue();
    times += 1;
    const response = await route.fetch();
    const headers = response.headers();
    for (const name of ["content-encoding", "content-length", "content-security-policy"]) delete headers[name];
    // Else the browser would take the changed script again for the next worker.
    headers["cache-control"] = "no-store";
    await route.fulfill({ headers, body: `${code}\n${await response.text()}` });
  });
  return () => times;
}

/** Code for the worker that puts `code` in front of its threads' script, which no route of a test reaches. */
export const inThreads = (code: string): string => `
  const Thread = self.Worker;
  self.Worker = function (url, options) {
    const request = new XMLHttpRequest();
    request.open("GET", url, false);
    request.send();
    const script = new Blob([${JSON.stringify(code)}, "\\n", request.responseText], { type: "text/javascript" });
    return new Thread(URL.createObjectURL(script), options);
  };`;

/** Code that is called with each request of the page, before the engine hears of it. */
export const onRequest = (code: string): string =>
  `self.addEventListener("message", ({ data }) => {
    const request = JSON.parse(data.header);
    ${code}
  });`;
