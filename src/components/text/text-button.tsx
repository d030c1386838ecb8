import type { ComponentProps } from 'react';
import classes from './text-button.module.css';

/** A button that looks like a link in a text. */
export function TextButton({ className = '', ...props }: ComponentProps<'button'>) {
  return <button type="button" className={`${classes.button} ${className}`} {...props} />;
}
