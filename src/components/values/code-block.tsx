import type { ReactNode } from 'react';
import { RawText } from '../text/raw-text';
import classes from './code-block.module.css';
import { CopyIcon } from './copy-button';

type CodeBlockProps = { title: string; hint?: ReactNode; code: string; what?: string; children?: ReactNode };

/** @param code what is copied, and shown unless there are children, which show it formatted */
export function CodeBlock({ title, hint, code, what, children }: CodeBlockProps) {
  return (
    <figure>
      <figcaption className={classes.head}>
        <b>{title}</b>
        {hint && <span className="quiet">{hint}</span>}
        {what && <CopyIcon value={code} what={what} />}
      </figcaption>
      <RawText tabIndex={0}>{children ?? code}</RawText>
    </figure>
  );
}
