import type { ReactNode } from 'react';
import { CopyIcon } from './copy-button';

type CodeBlockProps = { title: string; hint?: ReactNode; code: string; what: string };

export function CodeBlock({ title, hint, code, what }: CodeBlockProps) {
  return (
    <figure>
      <figcaption className="code-head">
        <b>{title}</b>
        {hint && <span className="quiet">{hint}</span>}
        <CopyIcon value={code} what={what} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling block must be reachable by keyboard. */}
      <pre className="raw" tabIndex={0}>
        {code}
      </pre>
    </figure>
  );
}
