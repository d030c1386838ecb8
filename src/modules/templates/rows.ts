import { domainFilter } from '@/server/access/authorize';
import type { Tx } from '@/server/database/db';
import { notFound } from '@/server/errors';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import { contentOf } from './content';
import type { Template, TemplateSummary, TemplateValues } from './schema';

/** A template in the caller's domain scope. @throws NOT_FOUND */
export async function requireTemplate({ actor }: ActorContext, db: Tx, id: string): Promise<Row> {
  const row = await db.template.findFirst({ where: { AND: [{ id }, domainFilter(actor)] }, select: FIELDS });
  if (!row) throw notFound('template');
  return row;
}

/** Locks a template until the transaction ends, so that no change is made over another. @throws NOT_FOUND */
export async function lockTemplate(ctx: ActorContext, tx: Tx, id: string): Promise<Row> {
  await tx.$executeRaw`SELECT 1 FROM template WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  return requireTemplate(ctx, tx, id);
}

/** @throws NOT_FOUND */
export async function requireVersionRow(db: Tx, templateId: string, number: number) {
  const row = await db.templateVersion.findUnique({ where: { templateId_number: { templateId, number } } });
  if (!row) throw notFound('version');
  return row;
}

export const SUMMARY = {
  id: true,
  domainId: true,
  name: true,
  subject: true,
  digest: true,
  publishedVersion: true,
  publishedDigest: true,
  publishedAt: true,
  createdAt: true,
  updatedAt: true,
  domain: { select: { name: true } },
} satisfies Prisma.TemplateSelect;

export const FIELDS = {
  ...SUMMARY,
  htmlBody: true,
  textBody: true,
  variables: true,
  sampleData: true,
} satisfies Prisma.TemplateSelect;

type SummaryRow = Prisma.TemplateGetPayload<{ select: typeof SUMMARY }>;
export type Row = Prisma.TemplateGetPayload<{ select: typeof FIELDS }>;

/** Returns a template as the audit log has it. Its versions have the text and the defaults of variables, which can be long. */
export function recorded(row: Row) {
  const bytes = (text: string | null) => text && Buffer.byteLength(text);
  return {
    domain: row.domain.name,
    name: row.name,
    subject: row.subject,
    html_bytes: bytes(row.htmlBody),
    text_bytes: bytes(row.textBody),
    variables: contentOf(row).variables.map(({ name, type, required }) => ({ name, type, required })),
    digest: row.digest,
    published_version: row.publishedVersion,
  };
}

export function presentSummary(row: SummaryRow): TemplateSummary {
  return {
    id: row.id,
    domain_id: row.domainId,
    domain: row.domain.name,
    name: row.name,
    subject: row.subject,
    published_version: row.publishedVersion,
    published_at: row.publishedAt?.toISOString() ?? null,
    has_changes: row.digest !== row.publishedDigest,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

export function present(row: Row): Template {
  return { ...presentSummary(row), ...contentOf(row), sample_data: row.sampleData as TemplateValues };
}
