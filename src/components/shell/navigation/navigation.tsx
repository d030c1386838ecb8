'use client';

import { usePathname } from 'next/navigation';
import { parseAsString, useQueryState } from 'nuqs';
import { type ComponentType, useLayoutEffect, useRef } from 'react';
import type { Role } from '@/lib/access/roles';
import { type ConsoleRoute, type RouteIcon, routeOf, routesFor } from '@/lib/routes';
import type { IconProps } from '../../icons/icon';
import {
  IconAddressBook,
  IconAdjustmentsHorizontal,
  IconArchive,
  IconAt,
  IconBan,
  IconBell,
  IconBook2,
  IconChartBar,
  IconClipboardList,
  IconFilter,
  IconGauge,
  IconHeartbeat,
  IconHelpCircle,
  IconKey,
  IconMail,
  IconSend,
  IconServer2,
  IconServerCog,
  IconShieldExclamation,
  IconStack2,
  IconTemplate,
  IconTrash,
  IconUserCircle,
  IconUsers,
  IconWebhook,
  IconWorld,
} from '../../icons/icons';
import { NearLink } from '../../near-link';
import { badgeOf } from './attention-badge';
import { AttentionCount } from './attention-count';
import classes from './navigation.module.css';
import { useAttention } from './use-attention';

export const ROUTE_ICONS: Record<RouteIcon, ComponentType<IconProps>> = {
  overview: IconGauge,
  messages: IconMail,
  send: IconSend,
  queue: IconStack2,
  suppressions: IconBan,
  templates: IconTemplate,
  domains: IconWorld,
  mailboxes: IconAddressBook,
  aliases: IconAt,
  filters: IconFilter,
  webhooks: IconWebhook,
  'api-keys': IconKey,
  reference: IconBook2,
  docs: IconHelpCircle,
  admins: IconUsers,
  analytics: IconChartBar,
  audit: IconClipboardList,
  deleted: IconTrash,
  alerts: IconBell,
  abuse: IconShieldExclamation,
  health: IconHeartbeat,
  config: IconAdjustmentsHorizontal,
  nodes: IconServer2,
  services: IconServerCog,
  backups: IconArchive,
  account: IconUserCircle,
};

type NavigationProps = { role: Role | undefined; onNavigate?: () => void };

export function Navigation({ role, onNavigate }: NavigationProps) {
  const current = routeOf(usePathname());
  const [domain] = useQueryState('domain', parseAsString);
  const attention = useAttention().data;
  const list = useRef<HTMLElement>(null);
  // The list is longer than a low window. Before the first paint, so that it is not seen moving.
  useLayoutEffect(() => {
    list.current?.querySelector(`[aria-current][href^="${current?.href}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [current?.href]);
  const suffix = domain ? `?domain=${encodeURIComponent(domain)}` : '';
  return (
    <nav ref={list} aria-label="Sections">
      {byGroup(routesFor(role).filter(({ isPersonal }) => !isPersonal)).map(([group, routes]) => (
        <div key={group ?? 'top'} className={classes.group}>
          {group && <h2>{group}</h2>}
          <ul>
            {routes.map(({ href, label, icon }) => {
              const Icon = ROUTE_ICONS[icon];
              return (
                <li key={href} className={classes.row}>
                  <NearLink
                    href={`${href}${suffix}`}
                    className={classes.item}
                    aria-current={current?.href === href ? 'page' : undefined}
                    onClick={onNavigate}
                  >
                    <Icon size={16} stroke={1.5} aria-hidden="true" />
                    <span>{label}</span>
                  </NearLink>
                  <AttentionCount {...badgeOf(icon, attention)} />
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function byGroup(routes: ConsoleRoute[]): [string | null, ConsoleRoute[]][] {
  const groups = new Map<string | null, ConsoleRoute[]>();
  for (const route of routes) groups.set(route.group, [...(groups.get(route.group) ?? []), route]);
  return [...groups];
}
