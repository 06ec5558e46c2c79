// Elements. Strings become text nodes or attributes that cannot run.

/**
 * Returns an element with attributes, listeners (`on`) and children.
 * @param {string} name the name of the element, and its class after a dot
 */
export function element(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length > 0) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") {
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    } else if (value !== undefined && value !== null && value !== false) {
      made.setAttribute(key, value === true ? "" : String(value));
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Lets one element of a group be reached by Tab, and the others by arrow keys. */
export function rove(elements, current) {
  for (const [index, item] of elements.entries()) item.tabIndex = index === current ? 0 : -1;
}

/** Returns the place that an arrow key goes to in a list, or `null` for other keys. */
export function stepped(key, index, count) {
  const last = count - 1;
  switch (key) {
    case "ArrowLeft":
    case "ArrowUp":
      return Math.max(index - 1, 0);
    case "ArrowRight":
    case "ArrowDown":
      return Math.min(index + 1, last);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}

/** Returns the context of a canvas of this size in CSS pixels, sharp on screens of any density and on paper. */
export function context(canvas, width, height) {
  // Browsers draw nothing on canvases with longer edges.
  const longest = 16_000 / Math.max(width, height, 1);
  const density = Math.min(Math.max(globalThis.devicePixelRatio ?? 1, 2), longest);
  canvas.width = Math.max(1, Math.round(width * density));
  canvas.height = Math.max(1, Math.round(height * density));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const drawing = canvas.getContext("2d");
  drawing.setTransform(density, 0, 0, density, 0, 0);
  return drawing;
}
