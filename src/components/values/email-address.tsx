import { Fragment, type ReactNode } from 'react';
import classes from './email-address.module.css';

const MIN_LOCAL_PART = 5;

type EmailAddressProps = {
  value: string;
  isLight?: boolean;
  /** Stays on the line of the last part, such as how many other addresses there are. */
  children?: ReactNode;
};

/** In a narrow place, only the local part is cut, or the address gets several lines, which break between its parts. */
export function EmailAddress({ value, isLight, children }: EmailAddressProps) {
  const at = value.lastIndexOf('@');
  const Rest = at === 0 ? 'b' : 'i';
  return (
    <span className={classes.address} data-light={isLight || undefined} title={value}>
      {at > 0 && (
        <b style={{ flexBasis: `${Math.min(at, MIN_LOCAL_PART)}ch` }}>
          <Parts text={value.slice(0, at)} />
        </b>
      )}
      <Rest>
        <Parts text={value.slice(Math.max(at, 0))}>{children}</Parts>
      </Rest>
    </span>
  );
}

const AFTER_SEPARATOR = /(?<=[@._+-])/;

/** Text that breaks its lines within addresses and host names, but only between their parts. */
export function Parts({ text, children }: { text: string; children?: ReactNode }) {
  const parts = text.split(AFTER_SEPARATOR);
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts can be equal, and their order is fixed.
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {index === parts.length - 1 && children ? (
        <span className={classes.end}>
          {part} {children}
        </span>
      ) : (
        part
      )}
    </Fragment>
  ));
}
