import type { ClipboardEvent } from 'react';

const GROUPED = /^\d{1,3}(?:[.,'’\s]\d{3})+$/;

/** Pastes a whole number without what groups its digits in any language: of 10.240, as in German, the field would take 10. */
export function pasteWholeNumber(event: ClipboardEvent<HTMLInputElement>): void {
  const text = event.clipboardData.getData('text').trim();
  if (!GROUPED.test(text)) return;
  event.preventDefault();
  // Mantine would insert it, too.
  event.stopPropagation();
  document.execCommand('insertText', false, text.replace(/\D/g, ''));
}
