import { useEffect, useState } from 'react';

type Outcome = 'copied' | 'selected' | 'failed';

const SHOWN_MS: Record<Outcome, number> = { copied: 2_000, selected: 10_000, failed: 10_000 };

/** Copies a text. If the browser refuses, as it does without HTTPS, the text is selected if the page shows it. */
export function useCopy(text: string, onCopied?: () => void) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS[outcome]);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async (button: Element) => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
      onCopied?.();
    } catch {
      setOutcome(select(find(text, button)) ? 'selected' : 'failed');
    }
  };
  return { outcome, copy };
}

/** Returns what shows the text, the nearest to the button. Lines may be elements of their own. */
function find(text: string, button: Element): Element | undefined {
  const wanted = withoutSpace(text);
  const isFound = (element: Element) =>
    withoutSpace(element instanceof HTMLInputElement ? element.value : element.textContent) === wanted;
  for (let around = button.parentElement; around; around = around.parentElement) {
    const found = [...around.querySelectorAll('*')].findLast(isFound);
    if (found) return found;
  }
}

/** Browsers copy no password that is hidden. */
function select(element: Element | undefined): boolean {
  if (!element || (element instanceof HTMLInputElement && element.type === 'password')) return false;
  if (element instanceof HTMLInputElement) element.select();
  else window.getSelection()?.selectAllChildren(element);
  return true;
}

function withoutSpace(text: string): string {
  return text.replace(/\s/g, '');
}
