import { useEffect, useState } from 'react';

type Outcome = 'copied' | 'failed';

const SHOWN_MS: Record<Outcome, number> = { copied: 2_000, failed: 10_000 };

/** Copies a text. If the browser refuses, as it does without HTTPS, the text is selected on the page. */
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
      select(find(text, button));
      setOutcome('failed');
    }
  };
  return { isCopied: outcome === 'copied', isFailed: outcome === 'failed', copy };
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

function select(element: Element | undefined): void {
  if (element instanceof HTMLInputElement) element.select();
  else if (element) window.getSelection()?.selectAllChildren(element);
}

function withoutSpace(text: string): string {
  return text.replace(/\s/g, '');
}
