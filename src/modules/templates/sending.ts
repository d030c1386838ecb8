import { parseAddress } from '@/lib/mail/address';
import { authorizeDomain, domainFilter } from '@/server/access/authorize';
import { AppError } from '@/server/errors';
import type { ActorContext } from '@/server/procedures/context';
import { contentOf, render } from './content';
import { isTemplateId, type TemplatePreview, type TemplateValues, type UsedTemplate } from './schema';

export type TemplateUse = {
  /** Its ID or name. */
  id: string;
  variables: TemplateValues;
  hasSubject: boolean;
  hasAttachments: boolean;
};

export type RenderedTemplate = { used: UsedTemplate; text: TemplatePreview };

/** Makes the text of a message, which is sent from this address. */
export type RenderFor = (from: string, use: TemplateUse) => Promise<RenderedTemplate>;

/**
 * Returns what renders the published templates of a call. A call looks up each template once, so that all messages of a batch are
 * made from the same version, and a version that can't be rendered in time takes the time once.
 */
export function rendererOf(ctx: ActorContext): RenderFor {
  const found = new Map<string, ReturnType<typeof findPublished>>();
  const failed = new Map<string, AppError>();

  /** @throws VALIDATION_ERROR by field, MESSAGE_TOO_LARGE, and DOMAIN_NOT_FOUND (403) and others of authorizeDomain */
  return async function renderFor(from: string, { id, variables, ...send }: TemplateUse): Promise<RenderedTemplate> {
    const domain = parseAddress(from)?.domain ?? '';
    const name = `${domain} ${id}`;
    const finding = found.get(name) ?? findPublished(ctx, domain, id);
    found.set(name, finding);
    const { used, version } = await finding;
    const known = failed.get(version.id);
    if (known) throw known;
    const input = { content: contentOf(version), key: version.id, values: variables, path: 'template.variables', send };
    return { used, text: await render(input).catch((error) => rethrow(error, version.id)) };
  };

  function rethrow(error: unknown, versionId: string): never {
    const isOfTemplate = error instanceof AppError && error.details?.fields?.some(({ path }) => path === 'template');
    if (isOfTemplate) failed.set(versionId, error);
    throw error;
  }
}

/** The published version of a template of the sender's domain. */
async function findPublished(ctx: ActorContext, domain: string, id: string) {
  const row = await ctx.db.template.findFirst({
    relationLoadStrategy: 'join',
    where: { AND: [domainFilter(ctx.actor), { domain: { name: domain } }, isTemplateId(id) ? { id } : { name: id }] },
    select: { id: true, name: true, publishedVersion: true },
  });
  if (!row) {
    // A domain that the caller can't send from is refused as in every send.
    await authorizeDomain(ctx, { name: domain }, { missingStatus: 403 });
    throw invalidTemplate(`${domain} has no template ${id}.`);
  }
  const { publishedVersion: number } = row;
  const version =
    number === null
      ? null
      : await ctx.db.templateVersion.findUnique({ where: { templateId_number: { templateId: row.id, number } } });
  if (!version) throw invalidTemplate(`The template ${row.name} has no published version. Publish it first.`);
  return { used: { id: row.id, name: row.name, version: version.number }, version };
}

function invalidTemplate(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'template.id', message }] } });
}
