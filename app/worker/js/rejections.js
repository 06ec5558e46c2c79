// Makes errors of rejections that nobody handles. A trap after an `await` is a rejection, and of those a page is told
// nothing; of errors it is. What the browser itself rejects, such as pending work of a lost GPU, is no trap.
self.addEventListener("unhandledrejection", (event) => {
  if (event.reason instanceof DOMException) return;
  event.preventDefault();
  reportError(event.reason);
});
