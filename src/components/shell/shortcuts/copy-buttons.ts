/** Moves the focus to the next button that copies something, and after the last one to the first. */
export function focusCopyButton(): void {
  const all = document.querySelectorAll<HTMLElement>('main [data-copy], aside[tabindex="-1"] [data-copy]');
  const buttons = [...all].filter((button) => button.checkVisibility());
  const next = buttons.find((button) => isAfter(button, document.activeElement)) ?? buttons[0];
  next?.focus();
}

function isAfter(button: HTMLElement, active: Element | null): boolean {
  if (active === null || active === button) return false;
  return (active.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}
