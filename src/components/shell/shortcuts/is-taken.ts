const TYPING = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]';
const OVERLAY = '[role="dialog"], [role="menu"], [role="listbox"]';

/** Whether something else has the key: a field, or what is open above the page. */
export function isTaken(target: EventTarget | null): boolean {
  // A dialog may have closed by the same key.
  if (target instanceof Element && target.closest(`${TYPING}, ${OVERLAY}`)) return true;
  return [...document.querySelectorAll(OVERLAY)].some((overlay) => overlay.checkVisibility());
}
