'use client';

import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

/** Both icons are drawn and the style sheet shows one, since the server cannot know which theme a browser keeps. */
export function SchemeToggle() {
  const { toggleColorScheme } = useMantineColorScheme();
  return (
    <ActionIcon aria-label="Switch the theme" title="Light or dark" onClick={toggleColorScheme}>
      <IconMoon className="only-light" size={16} stroke={1.5} />
      <IconSun className="only-dark" size={16} stroke={1.5} />
    </ActionIcon>
  );
}
