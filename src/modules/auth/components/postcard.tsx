'use client';

import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { Logo } from '@/components/marks/logo';
import { formatClock, formatStampDay } from '@/lib/format';
import { PostageStamp, Postmark } from './postage';
import classes from './postcard.module.css';

type PostcardProps = {
  children: ReactNode;
  lines: ReactNode;
  /** Names what is shown. When it changes, the first field gets the focus. */
  step: string | null | undefined;
  isWide?: boolean;
};

export function Postcard({ children, lines, step, isWide }: PostcardProps) {
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (step) form.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
  }, [step]);
  const host = useHost();
  return (
    <div className={classes.postcard}>
      <main className={classes.main}>
        <div className={classes.brand}>
          <Logo size={28} />
          <b>Postroom</b>
        </div>
        <div ref={form} className={classes.form} data-wide={isWide || undefined}>
          {children}
        </div>
        <p className={classes.footer}>Postroom {process.env.POSTROOM_VERSION}</p>
      </main>
      <div className={classes.side}>
        <div className={classes.postage} aria-hidden="true">
          <PostageStamp />
          {host && <Postmark top={host.toUpperCase().slice(0, 22)} bottom="POSTROOM" lines={stampLines()} />}
        </div>
        <div className={classes.lines}>{lines}</div>
      </div>
    </div>
  );
}

/** The line below the title. */
export function Lead({ children }: { children: ReactNode }) {
  return <p className={`soft ${classes.lead}`}>{children}</p>;
}

export function AddressLines({ lines }: { lines: string[] }) {
  const host = useHost();
  return (
    <ul className={classes.address}>
      <li>{host ?? '\u00a0'}</li>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
      <li aria-hidden="true">&nbsp;</li>
    </ul>
  );
}

function useHost(): string | null {
  return useSyncExternalStore(
    () => () => undefined,
    () => window.location.hostname,
    () => null,
  );
}

function stampLines(): [string, string, string] {
  const now = new Date().toISOString();
  const [day = '', month = '', year = ''] = formatStampDay(now).split(' ');
  return [`${day} ${month}`, formatClock(now), year];
}
