'use client';

import { type ReactNode, useEffect, useRef } from 'react';
import { Skeleton } from './marks/skeleton';
import classes from './settings-section.module.css';

type SettingsSectionProps = {
  /** By which links lead to it, as `#id`. */
  id?: string;
  title: string;
  hint: ReactNode;
  state?: ReactNode;
  children: ReactNode;
};

export function SettingsSection({ id, title, hint, state, children }: SettingsSectionProps) {
  const section = useRef<HTMLElement>(null);
  // The browser looks for it before the record is loaded.
  useEffect(() => {
    if (id && window.location.hash === `#${id}`) section.current?.scrollIntoView();
  }, [id]);
  return (
    <section ref={section} id={id} className={classes.section} aria-label={title}>
      <div className={classes.intro}>
        <h2>{title}</h2>
        <p>{hint}</p>
        {state}
      </div>
      <div className={classes.body}>{children}</div>
    </section>
  );
}

/** Sections of these heights that are loading. */
export function SettingsSkeleton({ heights }: { heights: number[] }) {
  return (
    <div aria-busy="true">
      {heights.map((height) => (
        <div key={height} className={classes.section} style={{ minHeight: height }}>
          <div className={classes.intro}>
            <Skeleton width={96} />
          </div>
          <div className={classes.body}>
            <Skeleton width={328} />
          </div>
        </div>
      ))}
    </div>
  );
}
