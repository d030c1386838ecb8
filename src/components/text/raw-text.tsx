import type { ComponentProps } from 'react';
import classes from './raw-text.module.css';

type RawTextProps = ComponentProps<'pre'> & {
  /** Long lines scroll to the side instead of wrapping. */
  scrolls?: boolean;
};

/** Text as it was sent or received, such as a server's reply. */
export function RawText({ className = '', scrolls, ...props }: RawTextProps) {
  return <pre className={`${classes.raw} ${className}`} data-scrolls={scrolls || undefined} {...props} />;
}
