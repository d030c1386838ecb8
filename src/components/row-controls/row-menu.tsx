import { ActionIcon, Menu } from '@mantine/core';
import { type ReactNode, useDeferredValue } from 'react';
import { useIsRunning } from '../document/use-is-running';
import { IconDots } from '../icons/icons';

type RowMenuProps = { label: string; children: ReactNode };

/** The menu of a row's actions. A page that comes from the server has only the button until its code runs. */
export function RowMenu({ label, children }: RowMenuProps) {
  const isRunning = useDeferredValue(useIsRunning());
  const button = (
    <ActionIcon aria-label={label}>
      <IconDots size={16} stroke={1.5} />
    </ActionIcon>
  );
  if (!isRunning) return button;
  return (
    <Menu>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
