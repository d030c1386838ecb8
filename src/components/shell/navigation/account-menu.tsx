'use client';

import { Button, Menu } from '@mantine/core';
import type { Role } from '@/lib/access/roles';
import { trpc } from '../../api/trpc';
import { confirmLeave } from '../../dialogs/navigation-guard';
import { IconChevronDown, IconKeyboard, IconLogout, IconUserCircle } from '../../icons/icons';
import { NearLink } from '../../near-link';
import classes from './bar-button.module.css';

export const ROLE_LABELS: Record<Role, string> = {
  domain_admin: 'domain admin',
  admin: 'admin',
  super_admin: 'super admin',
};

type Account = { email: string; role: Role };

type AccountMenuProps = { account: Account | undefined; onShortcuts: () => void };

export function AccountMenu({ account, onShortcuts }: AccountMenuProps) {
  const signOut = useSignOut();
  return (
    <Menu>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          className={`${classes.button} ${classes.account}`}
          rightSection={<IconChevronDown stroke={1.5} />}
          aria-label={account ? `Account: ${account.email}` : 'Account'}
        >
          <span className="clip">{account?.email ?? ''}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {account && <Menu.Label>Signed in as {ROLE_LABELS[account.role]}</Menu.Label>}
        <Menu.Item component={NearLink} href="/account" leftSection={<IconUserCircle size={16} stroke={1.5} />}>
          Account
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} stroke={1.5} />} onClick={onShortcuts}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} stroke={1.5} />}
          disabled={signOut.isPending}
          onClick={signOut.run}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type SignOutRowProps = { account: Account | undefined; onNavigate: () => void };

export function SignOutRow({ account, onNavigate }: SignOutRowProps) {
  const signOut = useSignOut();
  return (
    <>
      {account && (
        <p className="soft">
          {account.email}, {ROLE_LABELS[account.role]}
        </p>
      )}
      <Button
        component={NearLink}
        href="/account"
        fullWidth
        leftSection={<IconUserCircle stroke={1.5} />}
        onClick={onNavigate}
      >
        Account
      </Button>
      <Button fullWidth leftSection={<IconLogout stroke={1.5} />} loading={signOut.isPending} onClick={signOut.run}>
        Sign out
      </Button>
    </>
  );
}

export function useSignOut() {
  const logout = trpc.auth.logout.useMutation({ onSettled: () => window.location.assign('/login') });
  return { isPending: logout.isPending, run: () => confirmLeave(() => logout.mutate({})) };
}
