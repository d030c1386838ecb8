'use client';

import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '../icons/icons';
import classes from './scheme-toggle.module.css';

/** Renders both icons; the style sheet shows one, because the server doesn't know the browser's theme. */
export function SchemeToggle() {
  const { toggleColorScheme } = useMantineColorScheme();
  return (
    <ActionIcon aria-label="Toggle theme" title="Light or dark" onClick={toggleColorScheme}>
      <IconMoon className={classes.light} size={16} stroke={1.5} />
      <IconSun className={classes.dark} size={16} stroke={1.5} />
    </ActionIcon>
  );
}
