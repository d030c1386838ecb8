import type { ComponentProps } from 'react';
import classes from './raw-text.module.css';

/** Text as it was sent or received, such as a server's reply. */
export function RawText({ className = '', ...props }: ComponentProps<'pre'>) {
  return <pre className={`${classes.raw} ${className}`} {...props} />;
}
