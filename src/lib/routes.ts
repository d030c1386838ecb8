import { hasRole, type Role } from './roles';

export type RouteIcon =
  | 'overview'
  | 'messages'
  | 'send'
  | 'queue'
  | 'domains'
  | 'mailboxes'
  | 'aliases'
  | 'filters'
  | 'webhooks'
  | 'api-keys'
  | 'reference'
  | 'admins'
  | 'analytics'
  | 'audit'
  | 'abuse'
  | 'health'
  | 'config'
  | 'nodes'
  | 'account';

export type ConsoleRoute = {
  group: string | null;
  label: string;
  href: string;
  icon: RouteIcon;
  minRole: Role;
  /** Linked from the account menu instead of the navigation. */
  isPersonal?: boolean;
  keywords: string;
};

export const ROUTES: readonly ConsoleRoute[] = [
  {
    group: null,
    label: 'Overview',
    href: '/',
    icon: 'overview',
    minRole: 'domain_admin',
    keywords: 'home dashboard figures',
  },
  {
    group: 'Mail',
    label: 'Messages',
    href: '/messages',
    icon: 'messages',
    minRole: 'domain_admin',
    keywords: 'mail log trace bounces delivery search',
  },
  {
    group: 'Mail',
    label: 'Send',
    href: '/send',
    icon: 'send',
    minRole: 'domain_admin',
    keywords: 'compose test write new message',
  },
  {
    group: 'Mail',
    label: 'Queue',
    href: '/queue',
    icon: 'queue',
    minRole: 'admin',
    keywords: 'waiting deferred hold release retry flush stuck postfix',
  },
  {
    group: 'Directory',
    label: 'Domains',
    href: '/domains',
    icon: 'domains',
    minRole: 'domain_admin',
    keywords: 'add domain limits',
  },
  {
    group: 'Directory',
    label: 'Mailboxes',
    href: '/mailboxes',
    icon: 'mailboxes',
    minRole: 'domain_admin',
    keywords: 'people quota storage suspended password address',
  },
  {
    group: 'Directory',
    label: 'Aliases',
    href: '/aliases',
    icon: 'aliases',
    minRole: 'domain_admin',
    keywords: 'forward catch-all destination redirect group address import csv',
  },
  {
    group: 'Directory',
    label: 'Filters',
    href: '/sieve-filters',
    icon: 'filters',
    minRole: 'domain_admin',
    keywords: 'sieve rules script spam junk folder vacation away notice forward copy reject',
  },
  {
    group: 'Connect',
    label: 'Webhooks',
    href: '/webhooks',
    icon: 'webhooks',
    minRole: 'admin',
    keywords: 'events deliveries callback endpoint notify replay signature retry post',
  },
  {
    group: 'Connect',
    label: 'API keys',
    href: '/api-keys',
    icon: 'api-keys',
    minRole: 'domain_admin',
    keywords: 'token secret bearer new key',
  },
  {
    group: 'Connect',
    label: 'API reference',
    href: '/reference',
    icon: 'reference',
    minRole: 'domain_admin',
    keywords: 'openapi swagger endpoints documentation',
  },
  {
    group: 'Oversight',
    label: 'Analytics',
    href: '/analytics',
    icon: 'analytics',
    minRole: 'domain_admin',
    keywords: 'statistics charts reports volume rates delivery time bounces top senders export csv',
  },
  {
    group: 'Oversight',
    label: 'Audit log',
    href: '/audit',
    icon: 'audit',
    minRole: 'domain_admin',
    keywords: 'history changes who changed log verify export',
  },
  {
    group: 'Oversight',
    label: 'Abuse',
    href: '/abuse',
    icon: 'abuse',
    minRole: 'admin',
    keywords: 'limits rates suspended mailboxes spikes alerts thresholds top senders',
  },
  {
    group: 'Oversight',
    label: 'Admins',
    href: '/admins',
    icon: 'admins',
    minRole: 'super_admin',
    keywords: 'administrators people roles users add an admin',
  },
  {
    group: 'System',
    label: 'Health',
    href: '/system/health',
    icon: 'health',
    minRole: 'super_admin',
    keywords: 'status checks disk memory certificate postgres redis monitoring down degraded problems',
  },
  {
    group: 'System',
    label: 'Configuration',
    href: '/system/config',
    icon: 'config',
    minRole: 'super_admin',
    keywords: 'settings environment variables retention limits cors dns servers session lifetime',
  },
  {
    group: 'System',
    label: 'Nodes',
    href: '/system/nodes',
    icon: 'nodes',
    minRole: 'super_admin',
    keywords: 'cluster instances servers drain versions load memory agents',
  },
  {
    group: null,
    label: 'Account',
    href: '/account',
    icon: 'account',
    minRole: 'domain_admin',
    isPersonal: true,
    keywords: 'profile password two-factor two-step totp 2fa recovery codes sessions sign out single sign-on',
  },
];

export function routeOf(pathname: string): ConsoleRoute | undefined {
  return ROUTES.find(({ href }) => (href === '/' ? pathname === '/' : isWithin(pathname, href)));
}

export function routesFor(role: Role | undefined): ConsoleRoute[] {
  return ROUTES.filter(({ minRole }) => role === undefined || hasRole(role, minRole));
}

export function safeNextPath(next: string | null | undefined): string {
  if (!next?.startsWith('/') || /^\/[/\\]/.test(next) || /[\\\s]/.test(next)) return '/';
  return next.startsWith('/login') || next.startsWith('/setup') ? '/' : next;
}

function isWithin(pathname: string, href: string): boolean {
  return pathname === href || pathname.startsWith(`${href}/`);
}
