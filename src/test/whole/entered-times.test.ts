import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { appRouter } from '@/modules/router';
import { routesOf } from '@/server/rest/routes';
import { db } from '../database';
import { makeDomain, unique } from '../factories';
import { keyClient } from '../rest';

const LOCAL = '2026-11-26T10:00:00.250000+02:00';
const UTC = '2026-11-26T08:00:00.250Z';

const fields = routesOf(appRouter).flatMap(({ method, template, input }) =>
  Object.entries(input.shape).flatMap(([name, schema]) =>
    // The periods of reports have whole days.
    /^(since|until|start|end)$/.test(name) && !/\/(dmarc|tls)$/.test(template)
      ? [{ at: `${method} ${template} ${name}`, schema: schema as z.ZodType }]
      : [],
  ),
);

describe('a time in a request', () => {
  it.each(fields)('may have any offset in $at', ({ at, schema }) => {
    const { data, success } = schema.safeParse(LOCAL);
    expect(success).toBe(true);
    // Statistics report every mistake in a period with a code of their own, so they read it later.
    if (!at.includes('/analytics')) expect(data).toBe(UTC);
  });

  it('may have a plus sign that the query has not encoded', async () => {
    const api = await keyClient();
    const domain = await makeDomain();
    const message = await db.message.create({
      data: {
        domainId: domain.id,
        direction: 'outbound',
        messageId: `<${unique()}@${domain.name}>`,
        fromAddress: `shop@${domain.name}`,
        toAddresses: ['ann@far.example'],
        subject: '',
        sizeBytes: 1,
        status: 'sent',
        createdAt: new Date(UTC),
      },
    });
    const list = async (query: string) =>
      (await api.get(`/messages?domain_id=${domain.id}&${query}`)).data.map(({ id }: { id: string }) => id);
    expect(await list(`since=${LOCAL}`)).toEqual([message.id]);
    expect(await list(`until=${encodeURIComponent(LOCAL)}`)).toEqual([]);
    const { data } = await api.get(
      '/analytics?period=custom&start=2026-11-26T10:00:00+02:00&end=2026-11-26T10:15:00%2B02:00',
    );
    expect([data.start, data.end]).toEqual(['2026-11-26T08:00:00.000Z', '2026-11-26T08:15:00.000Z']);
  });
});
