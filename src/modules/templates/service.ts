import { authorizeDomain, domainFilter } from '@/server/access/authorize';
import { lockKeys } from '@/server/database/advisory-locks';
import { isForeignKeyViolation, notFoundIfMissing, type Tx, violatedConstraint } from '@/server/database/db';
import { keepDeleted, keepNewest } from '@/server/deleted-records/keep';
import { type DeletedRecord, keptRow, restoreRows } from '@/server/deleted-records/restore';
import { AppError } from '@/server/errors';
import { escapeLike } from '@/server/list/search-key';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { columnsOf, contentOf, render, requireValid } from './content';
import { type ListTemplates, templateList } from './lists';
import {
  FIELDS,
  lockTemplate,
  present,
  presentSummary,
  recorded,
  requireTemplate,
  requireVersionRow,
  SUMMARY,
} from './rows';
import type {
  CreateTemplate,
  PreviewTemplate,
  Template,
  TemplatePreview,
  TemplateSummary,
  TemplateValues,
  UpdateTemplate,
} from './schema';
import { type RenderedTemplate, type TemplateUse, templateRenderer } from './sending';

export type { RenderedTemplate, TemplateUse };

export { templateRenderer };

const MAX_OF_DOMAIN = 500;

/** @throws the errors of authorizeDomain, if `domain_id` is given */
export async function listTemplates(ctx: ActorContext, input: ListTemplates): Promise<Page<TemplateSummary>> {
  const { domain_id: domainId, published, name: whole, q } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const part = q ? { contains: escapeLike(q), mode: 'insensitive' as const } : undefined;
  const publishedVersion = published === undefined ? undefined : published ? { not: null } : null;
  const filters = { AND: [domainFilter(ctx.actor), { domainId, name: whole, publishedVersion }, { name: part }] };
  return paginate(templateList, input, {
    fetch: ({ where, ...page }) =>
      ctx.db.template.findMany({ ...page, select: SUMMARY, where: { AND: [where, filters] } }),
    count: (take) => ctx.db.template.count({ where: filters, take }),
    present: presentSummary,
  });
}

export async function getTemplate(ctx: ActorContext, { id }: { id: string }): Promise<Template> {
  return present(await requireTemplate(ctx, ctx.db, id));
}

/** @throws the errors of authorizeDomain; VALIDATION_ERROR if it isn't Liquid; CONFLICT if the name is in use */
export async function createTemplate(ctx: MutationContext, input: CreateTemplate): Promise<Template> {
  const { domain_id: domainId, name, sample_data: sampleData, ...content } = input;
  await authorizeDomain(ctx, { id: domainId });
  await requireValid(domainId, content);
  const data = { domainId, name, ...columnsOf(content), sampleData: sampleData as Prisma.InputJsonValue };
  return ctx
    .transaction(async ({ tx, audit }) => {
      await requireCapacity(tx, domainId);
      const row = await tx.template.create({ data: { ...data, createdAt: ctx.clock.now() }, select: FIELDS });
      await audit({ resource: `template:${row.id}`, domainId, before: null, after: recorded(row) });
      return present(row);
    })
    .catch((error) => rethrowTaken(error, name));
}

/**
 * Changes the draft; only the supplied fields. @throws VALIDATION_ERROR as createTemplate; CONFLICT if the name is in use, or another call
 * changed other parts of the text at the same time
 */
export async function updateTemplate(ctx: MutationContext, { id, ...input }: UpdateTemplate): Promise<Template> {
  const known = await requireTemplate(ctx, ctx.db, id);
  const checked = merged(known, input);
  await requireValid(known.domainId, checked);
  const { digest } = columnsOf(checked);
  return ctx
    .transaction(async ({ tx, audit, requireVersion }) => {
      await requireVersion();
      const row = await lockTemplate(ctx, tx, id);
      const sampleData = input.sample_data as Prisma.InputJsonValue | undefined;
      const data = { name: input.name, sampleData, ...columnsOf(merged(row, input)) };
      // The text was checked as it was before the lock.
      if (data.digest !== digest && data.digest !== row.digest)
        throw new AppError('CONFLICT', 'The draft was changed at the same time. Repeat your change.');
      const after = await tx.template
        .update({ where: { id }, data, select: FIELDS })
        .catch(notFoundIfMissing('template'));
      await audit({
        resource: `template:${id}`,
        domainId: row.domainId,
        before: recorded(row),
        after: recorded(after),
      });
      return present(after);
    })
    .catch((error) => rethrowTaken(error, input.name ?? ''));
}

/** The most bytes that the deleted templates of a domain take together, as Postgres stores them. */
const MAX_DELETED_BYTES = 50 * 1024 * 1024;

/** Messages that are scheduled keep their text. */
export async function deleteTemplate(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const row = await requireTemplate(ctx, tx, id);
    await keepDeleted(ctx, tx, { kind: 'template', id, name: row.name, domainId: row.domainId });
    const limit = { kind: 'template' as const, id, domainId: row.domainId, maxBytes: MAX_DELETED_BYTES };
    const forgotten = await keepNewest(tx, limit);
    await tx.template.delete({ where: { id }, select: { id: true } });
    const details = forgotten > 0 ? { forgotten_records: forgotten } : {};
    await audit({ resource: `template:${id}`, domainId: row.domainId, before: recorded(row), after: null, details });
    return { message: `Template ${row.name} deleted.` };
  });
}

/** Restores a deleted template with its versions. @throws the errors of createTemplate */
export async function restoreTemplate(ctx: MutationContext, record: DeletedRecord): Promise<void> {
  const { domain_id: domainId, name } = await keptRow<{ domain_id: string; name: string }>(ctx.db, record);
  await authorizeDomain(ctx, { id: domainId });
  await ctx
    .transaction(async ({ tx, audit }) => {
      await requireCapacity(tx, domainId);
      await restoreRows(tx, record);
      const row = await requireTemplate(ctx, tx, record.id);
      await audit({ resource: `template:${record.id}`, domainId, before: null, after: recorded(row) });
    })
    .catch((error) => rethrowTaken(error, name));
}

/** Renders the draft, with the given fields instead of its own, or a version. Saves nothing. @throws VALIDATION_ERROR by field */
export async function previewTemplate(ctx: ActorContext, input: PreviewTemplate): Promise<TemplatePreview> {
  const row = await requireTemplate(ctx, ctx.db, input.id);
  const source = input.version === undefined ? row : await requireVersionRow(ctx.db, row.id, input.version);
  const content = merged(source, input);
  const { domainId } = row;
  await requireValid(domainId, content);
  const values = input.sample_data ?? (row.sampleData as TemplateValues);
  return render({ domainId, content, key: null, values, path: 'sample_data' });
}

type Given = Pick<UpdateTemplate, 'subject' | 'html_body' | 'text_body' | 'variables'>;

function merged(row: Parameters<typeof contentOf>[0], given: Given) {
  const content = contentOf(row);
  return {
    subject: given.subject ?? content.subject,
    html_body: given.html_body === undefined ? content.html_body : given.html_body,
    text_body: given.text_body === undefined ? content.text_body : given.text_body,
    variables: given.variables ?? content.variables,
  };
}

/** Locks the templates of the domain, so that calls at once can't exceed the limit together. @throws CONFLICT */
async function requireCapacity(tx: Tx, domainId: string): Promise<void> {
  await lockKeys(tx, 'templatesOfDomain', [domainId]);
  if ((await tx.template.count({ where: { domainId } })) < MAX_OF_DOMAIN) return;
  throw new AppError('CONFLICT', `This domain already has ${MAX_OF_DOMAIN} templates. Delete one first.`, {
    details: { limit: MAX_OF_DOMAIN },
  });
}

function rethrowTaken(error: unknown, name: string): never {
  if (isForeignKeyViolation(error)) throw new AppError('DOMAIN_NOT_FOUND', 'The domain was deleted in the meantime.');
  if (violatedConstraint(error) === null) throw error;
  const message = `The domain already has a template ${name}. Choose another name or edit that template.`;
  throw new AppError('CONFLICT', message, { details: { fields: [{ path: 'name', message }] } });
}
