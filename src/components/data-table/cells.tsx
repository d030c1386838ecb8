import { type ComponentProps, type ReactNode, useDeferredValue } from 'react';
import { useIsRunning } from '../document/use-is-running';
import { NearLink } from '../near-link';
import { CopyIcon } from '../values/copy-button';
import classes from './cells.module.css';

/** Several things beside each other in a cell. */
export function Cell({ children }: { children: ReactNode }) {
  return <span className={classes.cell}>{children}</span>;
}

type ClippedProps = { text: string | null | undefined; className?: string };

/** A text that may not fit in its cell. */
export function Clipped({ text, className = '' }: ClippedProps) {
  return (
    <span className={`clip ${className}`} title={text ?? undefined}>
      {text}
    </span>
  );
}

/** The link to a row's own page. */
export function RowLink(props: ComponentProps<typeof NearLink>) {
  return <NearLink className={classes.link} {...props} />;
}

type CopyableProps = { value: string; what: 'address' | 'domain' | 'ID' | 'URL'; children: ReactNode };

/** The last thing in a cell of the kind `copyable`. Its button shows while the row is hovered or has the focus. */
export function Copyable({ value, what, children }: CopyableProps) {
  const isRunning = useDeferredValue(useIsRunning());
  return (
    <span className={classes.copyable}>
      {children}
      <span className={classes.copy}>{isRunning && <CopyIcon value={value} what={what} />}</span>
    </span>
  );
}
