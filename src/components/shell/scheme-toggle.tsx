'use client';

import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

export function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  const Icon = scheme === 'dark' ? IconSun : IconMoon;
  return (
    <ActionIcon aria-label={`Use the ${other} theme`} title={`Use the ${other} theme`} onClick={() => setColorScheme(other)}>
      <Icon size={16} stroke={1.5} />
    </ActionIcon>
  );
}
