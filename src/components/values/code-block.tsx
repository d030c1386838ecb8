import type { ReactNode } from 'react';
import { RawText } from '../text/raw-text';
import classes from './code-block.module.css';
import { CopyIcon } from './copy-button';

type CodeBlockProps = {
  title: string;
  hint?: ReactNode;
  code: string;
  what?: string;
  isProgram?: boolean;
  children?: ReactNode;
};

/**
 * @param code what is copied, and shown unless there are children, which show it formatted
 * @param isProgram its lines don't wrap, as a line break could be taken for one of the program
 */
export function CodeBlock({ title, hint, code, what, isProgram, children }: CodeBlockProps) {
  return (
    <figure>
      <figcaption className={classes.head}>
        <b>{title}</b>
        {hint && <span className="quiet">{hint}</span>}
        {what && <CopyIcon value={code} what={what} />}
      </figcaption>
      <RawText tabIndex={0} scrolls={isProgram}>
        {children ?? code}
      </RawText>
    </figure>
  );
}
