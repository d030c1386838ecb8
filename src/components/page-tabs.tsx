'use client';

import { Tabs } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { confirmLeave } from './dialogs/navigation-guard';
import classes from './page-tabs.module.css';

type PageTabsProps<Tab extends string> = {
  label: string;
  tabs: Record<Tab, { title: ReactNode; content: () => ReactNode }>;
  current: Tab;
  /** Keeps the tabs hidden until the header has its final height. Their content loads already. */
  isWaiting: boolean;
  onChange: (tab: Tab) => void;
};

/** The parts of a page, below a header with `hasTabs`. A form with unsaved changes asks before its tab is left. */
export function PageTabs<Tab extends string>({ label, tabs, current, isWaiting, onChange }: PageTabsProps<Tab>) {
  const names = Object.keys(tabs) as Tab[];
  const list = useRef<HTMLDivElement>(null);

  // On a narrow screen the tabs are wider than their row. Before the first paint, so that they are not seen moving.
  useLayoutEffect(() => {
    if (isWaiting) return;
    const tab = list.current?.querySelector(`[data-tab="${current}"]`);
    tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, isWaiting]);

  return (
    <Tabs
      classNames={{ root: classes.tabs, list: classes.list, panel: classes.panel }}
      data-waiting={isWaiting || undefined}
      aria-busy={isWaiting || undefined}
      value={current}
      onChange={(value) => {
        const name = names.find((one) => one === value);
        if (name) confirmLeave(() => onChange(name));
      }}
      keepMounted={false}
    >
      <Tabs.List ref={list} aria-label={label}>
        {names.map((name) => (
          <Tabs.Tab key={name} value={name} data-tab={name}>
            {tabs[name].title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {names.map((name) => (
        <Tabs.Panel key={name} value={name}>
          {name === current && tabs[name].content()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
