import { hasRole, type Role } from './access/roles';

/** A list of rows, one record with tabs, or sections with fields. */
export type RouteShape = 'list' | 'detail' | 'form';

type Route = {
  group: string | null;
  label: string;
  href: string;
  /** The key that opens it, after "g". The first pages have all letters. */
  jump?: string;
  /** Its name among the routes, by which navigation.tsx has its icon. */
  icon: string;
  minRole: Role;
  /** Linked from the account menu instead of the navigation. */
  isPersonal?: boolean;
  keywords: string;
  /** The action of its main button: the query that begins it, for who has the role of the page, or this one. */
  create?: { label: string; query: string; keywords: string; minRole?: Role };
  /** The kind of outline that its page has while it loads, by default that of a list. */
  shape?: RouteShape;
  /** The chapter of the documentation about the page, and the section if it is about one. */
  help?: string;
};

const ALL = [
  {
    group: null,
    label: 'Overview',
    href: '/',
    shape: 'form',
    jump: 'o',
    icon: 'overview',
    minRole: 'domain_admin',
    keywords: 'home dashboard figures',
  },
  {
    group: 'Mail',
    label: 'Messages',
    href: '/messages',
    jump: 'm',
    icon: 'messages',
    minRole: 'domain_admin',
    help: 'messages',
    keywords: 'mail log trace bounces delivery search',
  },
  {
    group: 'Mail',
    label: 'Send',
    href: '/send',
    shape: 'form',
    jump: 's',
    icon: 'send',
    minRole: 'domain_admin',
    help: 'sending',
    keywords: 'compose test write new message',
    create: { label: 'Send test message', query: 'test=true', keywords: 'compose new write' },
  },
  {
    group: 'Mail',
    label: 'Templates',
    href: '/templates',
    jump: 'g',
    icon: 'templates',
    minRole: 'domain_admin',
    help: 'templates',
    keywords: 'liquid variables html text layout versions publish preview new template',
    create: { label: 'New template', query: 'new=true', keywords: 'add create liquid' },
  },
  {
    group: 'Mail',
    label: 'Queue',
    href: '/queue',
    jump: 'q',
    icon: 'queue',
    minRole: 'admin',
    help: 'mail-server#the-queue',
    keywords: 'waiting deferred hold release retry flush stuck postfix',
  },
  {
    group: 'Mail',
    label: 'Suppressions',
    href: '/suppressions',
    jump: 'z',
    icon: 'suppressions',
    minRole: 'domain_admin',
    help: 'suppressions',
    keywords: 'suppressed blocked recipients bounce complaint unsubscribe list do not send',
    create: { label: 'Suppress address', query: 'new=true', keywords: 'block recipient add' },
  },
  {
    group: 'Directory',
    label: 'Domains',
    href: '/domains',
    jump: 'd',
    icon: 'domains',
    minRole: 'domain_admin',
    help: 'dns',
    keywords: 'add domain limits dns records spf dkim dmarc',
    create: { label: 'Add domain', query: 'new=true', keywords: 'new create', minRole: 'admin' },
  },
  {
    group: 'Directory',
    label: 'Mailboxes',
    href: '/mailboxes',
    jump: 'b',
    icon: 'mailboxes',
    minRole: 'domain_admin',
    help: 'mail-server#who-can-receive-sign-in-and-send',
    keywords: 'people quota storage suspended password address',
    create: { label: 'New mailbox', query: 'new=true', keywords: 'add create user account' },
  },
  {
    group: 'Directory',
    label: 'Aliases',
    href: '/aliases',
    jump: 'a',
    icon: 'aliases',
    minRole: 'domain_admin',
    help: 'api-contract#aliases',
    keywords: 'forward catch-all destination redirect group address import csv',
    create: { label: 'New alias', query: 'new=true', keywords: 'forward add create' },
  },
  {
    group: 'Directory',
    label: 'Filters',
    href: '/sieve-filters',
    jump: 'f',
    icon: 'filters',
    minRole: 'domain_admin',
    help: 'mail-server#filters',
    keywords: 'sieve rules script spam junk folder vacation away notice forward copy reject',
  },
  {
    group: 'Connect',
    label: 'Webhooks',
    href: '/webhooks',
    jump: 'w',
    icon: 'webhooks',
    minRole: 'admin',
    help: 'webhooks',
    keywords: 'events deliveries callback endpoint notify replay signature retry post',
    create: { label: 'New webhook', query: 'new=true', keywords: 'add create endpoint' },
  },
  {
    group: 'Connect',
    label: 'API keys',
    href: '/api-keys',
    jump: 'k',
    icon: 'api-keys',
    minRole: 'domain_admin',
    help: 'access#api-keys',
    keywords: 'token secret bearer new key',
    create: { label: 'New API key', query: 'new=true', keywords: 'add create' },
  },
  {
    group: 'Connect',
    label: 'API reference',
    href: '/reference',
    shape: 'form',
    jump: 'r',
    icon: 'reference',
    minRole: 'domain_admin',
    help: 'api-contract',
    keywords: 'openapi swagger endpoints documentation',
  },
  {
    group: 'Connect',
    label: 'Documentation',
    href: '/docs',
    jump: 'e',
    icon: 'docs',
    minRole: 'domain_admin',
    keywords: 'help manual guide how to chapters',
  },
  {
    group: 'Oversight',
    label: 'Analytics',
    href: '/analytics',
    shape: 'form',
    jump: 'y',
    icon: 'analytics',
    minRole: 'domain_admin',
    help: 'analytics',
    keywords: 'statistics charts reports volume rates delivery time bounces top senders export csv',
  },
  {
    group: 'Oversight',
    label: 'Audit log',
    href: '/audit',
    jump: 'l',
    icon: 'audit',
    minRole: 'domain_admin',
    help: 'access#the-audit-log',
    keywords: 'history changes who changed log verify export',
  },
  {
    group: 'Oversight',
    label: 'Recently deleted',
    href: '/deleted',
    jump: 'j',
    icon: 'deleted',
    minRole: 'domain_admin',
    help: 'access#restore-what-was-deleted',
    keywords: 'trash bin undelete undo restore removed records',
  },
  {
    group: 'Oversight',
    label: 'Alerts',
    href: '/alerts',
    jump: 't',
    icon: 'alerts',
    minRole: 'admin',
    help: 'health#get-notified-about-problems',
    keywords: 'problems warnings critical incidents notifications emails on-call acknowledge',
  },
  {
    group: 'Oversight',
    label: 'Abuse',
    href: '/abuse',
    shape: 'form',
    jump: 'x',
    icon: 'abuse',
    minRole: 'admin',
    help: 'access#hourly-limits',
    keywords: 'limits rates suspended mailboxes spikes thresholds top senders volume',
  },
  {
    group: 'Oversight',
    label: 'Admins',
    href: '/admins',
    jump: 'u',
    icon: 'admins',
    minRole: 'super_admin',
    help: 'access#roles',
    keywords: 'administrators people roles users add an admin',
    create: { label: 'Add admin', query: 'new=true', keywords: 'new create colleague invite' },
  },
  {
    group: 'System',
    label: 'Health',
    href: '/system/health',
    jump: 'h',
    icon: 'health',
    minRole: 'super_admin',
    help: 'health',
    keywords: 'status checks disk memory certificate postgres redis monitoring down degraded problems',
  },
  {
    group: 'System',
    label: 'Services',
    href: '/system/services',
    shape: 'form',
    jump: 'v',
    icon: 'services',
    minRole: 'super_admin',
    help: 'operations',
    keywords:
      'orchestrator postfix dovecot rspamd redis restart reload apply configuration drift mail server agent operations',
  },
  {
    group: 'System',
    label: 'Backups',
    href: '/system/backups',
    jump: 'p',
    icon: 'backups',
    minRole: 'super_admin',
    help: 'backups',
    keywords: 'backup restore archive snapshot age restic disaster recovery prove verify download',
  },
  {
    group: 'System',
    label: 'Configuration',
    href: '/system/config',
    shape: 'form',
    jump: 'c',
    icon: 'config',
    minRole: 'super_admin',
    help: 'configuration',
    keywords: 'settings environment variables retention limits cors dns servers session lifetime',
  },
  {
    group: 'System',
    label: 'Nodes',
    href: '/system/nodes',
    jump: 'n',
    icon: 'nodes',
    minRole: 'super_admin',
    help: 'growing',
    keywords: 'cluster instances servers drain versions load memory agents',
  },
  {
    group: null,
    label: 'Account',
    href: '/account',
    shape: 'form',
    jump: 'i',
    icon: 'account',
    minRole: 'domain_admin',
    isPersonal: true,
    help: 'access#set-up-two-factor-authentication',
    keywords: 'profile password two-factor two-step totp 2fa recovery codes sessions sign out single sign-on',
  },
] as const satisfies readonly Route[];

/** The chapters and sections about pages below those of ROUTES, and about tabs. */
export const PAGE_HELP: readonly { path: RegExp; search?: string; help: string }[] = [
  { path: /^\/mailboxes\/[^/]+\/misuse$/, help: 'access#when-a-stranger-sends-from-a-mailbox' },
  { path: /^\/domains\/[^/]+$/, search: 'tab=dkim', help: 'mail-server#rotate-a-dkim-key' },
  { path: /^\/domains\/[^/]+$/, search: 'view=reports', help: 'reports' },
  { path: /./, search: 'tab=history', help: 'access#see-who-changed-something-and-put-it-back' },
];

export type RouteIcon = (typeof ALL)[number]['icon'];
export type ConsoleRoute = Route & { icon: RouteIcon };

export const ROUTES: readonly ConsoleRoute[] = ALL;

export function routeOf(pathname: string): ConsoleRoute | undefined {
  return ROUTES.find(({ href }) => (href === '/' ? pathname === '/' : isWithin(pathname, href)));
}

/** Returns the chapter and section about a page; undefined if there are several. */
export function helpOf(pathname: string, search: URLSearchParams): string | undefined {
  const isShown = (pair: string) => search.toString().split('&').includes(pair);
  const own = PAGE_HELP.find(({ path, search: pair }) => path.test(pathname) && (!pair || isShown(pair)));
  return own?.help ?? routeOf(pathname)?.help;
}

/** Returns the kind of outline of a path’s page: below a list are its records, apart from what makes a new one. */
export function shapeOf(pathname: string): RouteShape {
  const route = routeOf(pathname);
  if (!route || pathname.endsWith('/new')) return 'form';
  return pathname === route.href ? (route.shape ?? 'list') : 'detail';
}

export function routesFor(role: Role | undefined): ConsoleRoute[] {
  return ROUTES.filter(({ minRole }) => role === undefined || hasRole(role, minRole));
}

function isWithin(pathname: string, href: string): boolean {
  return pathname === href || pathname.startsWith(`${href}/`);
}
