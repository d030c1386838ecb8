'use client';

import { ActionIcon, Button, Drawer } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { type ReactNode, useEffect } from 'react';
import { hasRole } from '@/lib/access/roles';
import { helpOf, routeOf } from '@/lib/routes';
import { isSessionLost, toProblem } from '../api/problem';
import { trpc } from '../api/trpc';
import { lazyDialog } from '../dialogs/lazy-dialog';
import { useBack } from '../dialogs/use-back';
import { IconHelpCircle, IconMenu2, IconSearch } from '../icons/icons';
import { Logo } from '../marks/logo';
import { StatusMark } from '../marks/status-mark';
import { NearLink } from '../near-link';
import { Notifications } from '../notifications';
import { ConnectionNotice } from './connection-notice';
import { AccountMenu, SignOutRow } from './navigation/account-menu';
import { DomainSwitcher } from './navigation/domain-switcher';
import { Navigation } from './navigation/navigation';
import { NavigationProgress } from './navigation/navigation-progress';
import { NoRole } from './no-role';
import { PaletteLoader } from './palette/palette-loader';
import { palette } from './palette/palette-store';
import { SchemeToggle } from './scheme-toggle';
import classes from './shell.module.css';
import { useShortcuts } from './shortcuts/use-shortcuts';

const ShortcutsHelp = lazyDialog(() => import('./shortcuts/shortcuts-help').then((module) => module.ShortcutsHelp));

type Mta = 'sandbox' | 'smtp' | 'off';
/** The kind of `mta` is known before any data, so that the line about it moves nothing. */
type ShellProps = { children: ReactNode; mta: Mta; signInAgain: ReactNode };

export function Shell({ children, mta, signInAgain }: ShellProps) {
  const pathname = usePathname();
  const router = useRouter();
  const [isMenuOpen, menu] = useDisclosure(false);
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const account = me.data;
  const isSignedOut = !account && me.isError && isSessionLost(toProblem(me.error));
  const route = routeOf(pathname);
  const isOutOfReach = account !== undefined && route !== undefined && !hasRole(account.role, route.minRole);

  useHotkeys([['mod+K', palette.open]], []);
  useBack(isMenuOpen, () => {
    menu.close();
    return true;
  });
  const { onOpen: openShortcuts, ...shortcuts } = useShortcuts(account?.role);

  useEffect(() => {
    if (!isSignedOut) return;
    const here = `${window.location.pathname}${window.location.search}`;
    router.replace(here === '/' ? '/login' : `/login?next=${encodeURIComponent(here)}`);
  }, [isSignedOut, router]);

  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <aside className={classes.sidebar} aria-label="Postroom">
        <Brand />
        <Navigation role={account?.role} />
      </aside>
      <header className={classes.bar}>
        <ActionIcon className="only-small" aria-label="Open menu" onClick={menu.open}>
          <IconMenu2 size={20} stroke={1.5} />
        </ActionIcon>
        <button type="button" className={classes.search} onClick={palette.open}>
          <IconSearch size={16} stroke={1.5} />
          <span>Search addresses, domains, messages</span>
          <kbd>Ctrl K</kbd>
        </button>
        <DomainSwitcher />
        <MailServerMark kind={mta} />
        <div className={classes.end}>
          <HelpLink />
          <SchemeToggle />
          <AccountMenu account={account} onShortcuts={openShortcuts} />
        </div>
        <ConnectionNotice />
        <NavigationProgress />
      </header>
      {isOutOfReach ? <NoRole route={route} account={account} /> : children}
      <Notifications />
      {account && signInAgain}
      <PaletteLoader role={account?.role} onShortcuts={openShortcuts} />
      <ShortcutsHelp role={account?.role} {...shortcuts} />
      <Drawer
        opened={isMenuOpen}
        onClose={menu.close}
        title="Postroom"
        size={288}
        padding={0}
        closeButtonProps={{ 'aria-label': 'Close menu' }}
      >
        <div className={classes.drawer}>
          <div className={classes.drawerTools}>
            <DomainSwitcher fullWidth />
          </div>
          <Navigation role={account?.role} onNavigate={menu.close} />
          <div className={classes.drawerTools}>
            <HelpRow onNavigate={menu.close} />
            <SignOutRow account={account} onNavigate={menu.close} />
          </div>
        </div>
      </Drawer>
    </div>
  );
}

function Brand() {
  return (
    <NearLink className={classes.brand} href="/">
      <Logo size={28} />
      <span>
        <b>Postroom</b>
        <small>Version {process.env.POSTROOM_VERSION}</small>
      </span>
    </NearLink>
  );
}

/** The chapter about the page, or else all of them. */
function useHelp() {
  const pathname = usePathname();
  const help = helpOf(pathname, useSearchParams());
  return {
    href: help ? `/docs/${help}` : '/docs',
    'aria-label': help ? `Documentation: ${routeOf(pathname)?.label}` : 'Documentation of Postroom',
    title: help ? 'Documentation of this page' : 'Documentation',
  };
}

function HelpLink() {
  return (
    <ActionIcon component={NearLink} className="only-wide" {...useHelp()}>
      <IconHelpCircle size={18} stroke={1.5} />
    </ActionIcon>
  );
}

/** The same in the menu of a phone. */
function HelpRow({ onNavigate }: { onNavigate: () => void }) {
  const { title, ...help } = useHelp();
  return (
    <Button component={NearLink} fullWidth leftSection={<IconHelpCircle stroke={1.5} />} onClick={onNavigate} {...help}>
      {title}
    </Button>
  );
}

/** Says that no mail leaves Postroom: in the header, and on a phone in a line below it. */
function MailServerMark({ kind }: { kind: Mta }) {
  if (kind === 'sandbox') {
    return (
      <span className={classes.server} data-tone="deferred" title="Messages are accepted and stored here, for testing">
        <StatusMark status="warning">
          Sandbox<span className={classes.rest}>: nothing leaves this machine</span>
        </StatusMark>
      </span>
    );
  }
  if (kind === 'off') {
    return (
      <span className={classes.server} data-tone="failed">
        <StatusMark status="failed">Sending disabled</StatusMark>
      </span>
    );
  }
  return null;
}
