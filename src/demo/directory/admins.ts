import type { Role } from '@/lib/access/roles';
import { newTotpSecret, replaceRecoveryCodes } from '@/modules/auth/totp/codes';
import { newSessionSecret } from '@/server/secrets/credentials';
import { sha256 } from '@/server/secrets/crypto';
import { hashPassword } from '@/server/secrets/password';
import type { DemoContext } from '../demo-context';
import { after, before, DAY_MS, HOUR_MS, inOfficeHours, MINUTE_MS } from '../time';
import type { DemoDomain } from './domains';

export type DemoAdmin = {
  id: string;
  email: string;
  role: Role;
  /** The address and browser that this admin uses. */
  ipAddress: string;
  userAgent: string;
  lastLoginAt: Date | null;
  createdAt: Date;
  domainIds: string[];
};

export const DEMO_EMAIL = 'dana@postroom.example';

const SESSION_MS = DAY_MS;

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15';
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1';

type Plan = {
  email: string;
  role: Role;
  seenMs: number | null;
  userAgent: string;
  hasTotp?: boolean;
  domains?: number[];
};

const ADMINS: Plan[] = [
  { email: DEMO_EMAIL, role: 'super_admin', seenMs: 26 * MINUTE_MS, userAgent: FIREFOX },
  {
    email: 'ines.ferreira@postroom.example',
    role: 'super_admin',
    seenMs: 3 * HOUR_MS,
    userAgent: SAFARI,
    hasTotp: true,
  },
  { email: 'tom.okafor@postroom.example', role: 'admin', seenMs: 70 * MINUTE_MS, userAgent: CHROME },
  { email: 'mei.tanaka@postroom.example', role: 'admin', seenMs: 5 * HOUR_MS, userAgent: FIREFOX },
  { email: 'lars.berg@postroom.example', role: 'admin', seenMs: 41 * DAY_MS, userAgent: CHROME },
  {
    email: 'it@alderbrook-coffee.example',
    role: 'domain_admin',
    seenMs: 2 * HOUR_MS,
    userAgent: CHROME,
    domains: [0, 7],
  },
  { email: 'sysadmin@nordwind-outdoor.example', role: 'domain_admin', seenMs: DAY_MS, userAgent: SAFARI, domains: [1] },
  {
    email: 'office@fenwick-legal.example',
    role: 'domain_admin',
    seenMs: 9 * DAY_MS,
    userAgent: CHROME,
    domains: [2, 3, 4],
  },
  { email: 'helpdesk@meadowlark-school.example', role: 'domain_admin', seenMs: null, userAgent: CHROME, domains: [6] },
];

/** @param password for all admins, so that every role can be tried */
export async function seedAdmins(
  ctx: DemoContext,
  domains: readonly DemoDomain[],
  password: string,
): Promise<[DemoAdmin, ...DemoAdmin[]]> {
  const { tx, now, random } = ctx;
  const passwordHash = await hashPassword(password);
  const lastSeen = (ageMs: number) => (ageMs < DAY_MS ? before(now, ageMs) : inOfficeHours(random, now, ageMs));
  const admins = ADMINS.map(({ email, role, seenMs, userAgent, domains: places = [] }, index): DemoAdmin => {
    const createdAt = inOfficeHours(random, now, (600 - index * 60) * DAY_MS);
    const domainIds = places.flatMap((place) => domains[place]?.id ?? []);
    const lastLoginAt = seenMs === null ? null : lastSeen(seenMs);
    const ipAddress = `192.0.2.${20 + index * 7}`;
    return { id: random.uuidAt(createdAt), email, role, ipAddress, userAgent, lastLoginAt, createdAt, domainIds };
  });
  await tx.admin.createMany({
    data: admins.map(({ id, email, role, lastLoginAt, createdAt }) => {
      return { id, email, role, passwordHash, lastLoginAt, createdAt, updatedAt: lastLoginAt ?? createdAt };
    }),
  });
  await tx.adminDomain.createMany({
    data: admins.flatMap(({ id: adminId, domainIds }) => domainIds.map((domainId) => ({ adminId, domainId }))),
  });
  for (const [index, { hasTotp }] of ADMINS.entries()) {
    const admin = admins[index];
    if (hasTotp && admin) await enableTotp(ctx, admin);
  }
  await seedSessions(ctx, admins);
  return admins as [DemoAdmin, ...DemoAdmin[]];
}

async function enableTotp({ tx }: DemoContext, { id, email }: DemoAdmin): Promise<void> {
  const data = { totpEnabled: true, totpSecret: newTotpSecret({ id, email }).sealed };
  await tx.admin.update({ where: { id }, data, select: { id: true } });
  await replaceRecoveryCodes(tx, id);
}

/** Sessions of admins who signed in within the last day; the first one also has a phone. */
async function seedSessions({ tx, now, random }: DemoContext, admins: readonly DemoAdmin[]): Promise<void> {
  const recent = admins.filter(({ lastLoginAt }) => lastLoginAt && lastLoginAt > before(now, SESSION_MS));
  const devices = recent.map(({ id, lastLoginAt, ipAddress, userAgent }) => {
    return { adminId: id, createdAt: lastLoginAt as Date, ipAddress, userAgent };
  });
  const [first] = admins;
  if (first) {
    const phone = { adminId: first.id, ipAddress: '198.51.100.73', userAgent: PHONE };
    devices.push({ ...phone, createdAt: before(now, 11 * HOUR_MS) });
  }
  await tx.session.createMany({
    data: devices.map((device) => ({
      ...device,
      id: random.uuidAt(device.createdAt),
      secretHash: sha256(newSessionSecret().secret),
      expiresAt: after(device.createdAt, SESSION_MS),
    })),
  });
}
