import type { ReactNode } from 'react';
import { RawText } from '../text/raw-text';
import classes from './code-block.module.css';
import { CopyIcon } from './copy-button';

type CodeBlockProps = { title: string; hint?: ReactNode; code: string; what?: string };

export function CodeBlock({ title, hint, code, what }: CodeBlockProps) {
  return (
    <figure>
      <figcaption className={classes.head}>
        <b>{title}</b>
        {hint && <span className="quiet">{hint}</span>}
        {what && <CopyIcon value={code} what={what} />}
      </figcaption>
      <RawText tabIndex={0}>{code}</RawText>
    </figure>
  );
}
