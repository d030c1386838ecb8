import type { Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { columnsOf, contentOf, requireValid } from './content';
import { FIELDS, lockTemplate, present, type Row, recorded, requireTemplate, requireVersionRow } from './rows';
import type { GetTemplateVersion, PublishTemplate, Template, TemplateVersion, TemplateVersionSummary } from './schema';

/** How many versions of a template are kept, the published one besides, and how many bytes of them. The largest has less. */
const MAX_VERSIONS = 50;
const MAX_BYTES = 4 * 1024 * 1024;

/** The newest first. */
export async function listVersions(ctx: ActorContext, { id }: { id: string }): Promise<TemplateVersionSummary[]> {
  const { publishedVersion } = await requireTemplate(ctx, ctx.db, id);
  const rows = await ctx.db.templateVersion.findMany({
    where: { templateId: id },
    select: SUMMARY,
    orderBy: { number: 'desc' },
  });
  return rows.map((row) => presentVersion(row, publishedVersion));
}

export async function getVersion(ctx: ActorContext, { id, number }: GetTemplateVersion): Promise<TemplateVersion> {
  const { publishedVersion } = await requireTemplate(ctx, ctx.db, id);
  const row = await requireVersionRow(ctx.db, id, Number(number));
  return { ...presentVersion(row, publishedVersion), ...contentOf(row) };
}

/**
 * Publishes the draft as a new version, or an earlier version again. Messages that are accepted from now on are sent with it.
 * @throws CONFLICT if the draft is what is published already or has no text; VALIDATION_ERROR; NOT_FOUND
 */
export async function publishTemplate(ctx: MutationContext, { id, version }: PublishTemplate): Promise<Template> {
  const known = await requireTemplate(ctx, ctx.db, id);
  if (version === undefined) await requireValid(known.domainId, contentOf(known));
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const row = await lockTemplate(ctx, tx, id);
    // The draft was checked as it was before the lock.
    if (version === undefined && row.digest !== known.digest)
      throw new AppError('CONFLICT', 'The draft was changed at the same time. Publish it again.');
    const published = version === undefined ? await addVersion(ctx, tx, row) : await requireVersionRow(tx, id, version);
    const data = {
      publishedVersion: published.number,
      publishedDigest: published.digest,
      publishedAt: ctx.clock.now(),
    };
    const after = await tx.template.update({ where: { id }, data, select: FIELDS });
    await deleteOldVersions(tx, id, published.number);
    await audit({
      resource: `template:${id}`,
      domainId: row.domainId,
      before: recorded(row),
      after: recorded(after),
      details: { version: published.number },
    });
    return present(after);
  });
}

async function addVersion(ctx: MutationContext, tx: Tx, row: Row) {
  if (row.digest === row.publishedDigest) {
    throw new AppError('CONFLICT', `The draft is the same as version ${row.publishedVersion}, which is published.`);
  }
  if (!row.htmlBody && !row.textBody) throw new AppError('CONFLICT', 'The draft has no text. Enter HTML or a text.');
  const { _max } = await tx.templateVersion.aggregate({ where: { templateId: row.id }, _max: { number: true } });
  const data = {
    templateId: row.id,
    number: (_max.number ?? 0) + 1,
    ...columnsOf(contentOf(row)),
    createdAt: ctx.clock.now(),
    publishedByEmail: ctx.actor.admin.email,
  };
  return tx.templateVersion.create({ data });
}

async function deleteOldVersions(tx: Tx, templateId: string, published: number): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM template_version v USING (
      SELECT id, row_number() OVER newest AS position,
             sum(octet_length(subject) + coalesce(octet_length(html_body), 0) + coalesce(octet_length(text_body), 0)
                 + pg_column_size(variables)) OVER newest AS bytes
        FROM template_version
       WHERE template_id = ${templateId}::uuid AND number <> ${published}
      WINDOW newest AS (ORDER BY number DESC)) AS other
     WHERE v.id = other.id AND (other.position > ${MAX_VERSIONS} OR other.bytes > ${MAX_BYTES})`;
}

const SUMMARY = {
  number: true,
  subject: true,
  createdAt: true,
  publishedByEmail: true,
} satisfies Prisma.TemplateVersionSelect;

type SummaryRow = Prisma.TemplateVersionGetPayload<{ select: typeof SUMMARY }>;

function presentVersion(row: SummaryRow, publishedVersion: number | null): TemplateVersionSummary {
  return {
    number: row.number,
    subject: row.subject,
    is_published: row.number === publishedVersion,
    created_at: row.createdAt.toISOString(),
    published_by: row.publishedByEmail,
  };
}
