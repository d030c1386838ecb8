import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeWebhook } from '@/test/factories';
import { hasSubscribers } from './service';

describe('hasSubscribers', () => {
  it('requires an active webhook for the type or all types, and for one of the domains or all', async () => {
    await db.webhook.deleteMany();
    const [domain, other] = await Promise.all([makeDomain(), makeDomain()]);
    const isSubscribed = () => hasSubscribers(db, 'mail.received.full', [domain.id]);
    await makeWebhook({ events: ['mail.received'] });
    await makeWebhook({ events: ['*'], domainId: other.id });
    await makeWebhook({ events: ['*'], active: false });
    expect(await isSubscribed()).toBe(false);
    await makeWebhook({ events: ['*'], domainId: domain.id });
    expect(await isSubscribed()).toBe(true);
  });
});
