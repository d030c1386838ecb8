import type { ReactNode } from 'react';

type SettingsSectionProps = { title: string; hint: ReactNode; state?: ReactNode; children: ReactNode };

export function SettingsSection({ title, hint, state, children }: SettingsSectionProps) {
  return (
    <section className="settings-section" aria-label={title}>
      <div className="section-intro">
        <h2>{title}</h2>
        <p>{hint}</p>
        {state}
      </div>
      <div className="section-body">{children}</div>
    </section>
  );
}
