import { parseAddress } from '@/lib/mail/address';
import { authorizeDomain, requireSender } from '@/server/access/authorize';
import { AppError } from '@/server/errors';
import type { ActorContext } from '@/server/procedures/context';
import { contentOf, render } from './content';
import { Exhausted } from './rendering/pool';
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
export type RenderFor = (
  from: string,
  use: TemplateUse,
  /** Called once the sender's domain and the template are found, before the work. */
  beforeRender: () => Promise<void>,
) => Promise<RenderedTemplate>;

type Published = Awaited<ReturnType<typeof findPublished>>;

/** After so many messages in a row that a limit ended, the others of a call aren't tried. */
const MAX_FAILURES = 2;

/**
 * Returns what renders the published templates of a call. A call looks up each template once, so that all messages of a batch are
 * made from the same version, and renders its messages one after another.
 */
export function templateRenderer(ctx: ActorContext): RenderFor {
  const found = new Map<string, Promise<Published>>();

  /**
   * @throws VALIDATION_ERROR by field, MESSAGE_TOO_LARGE, RATE_LIMIT_EXCEEDED, FORBIDDEN and others of requireSender, and DOMAIN_NOT_FOUND
   * (403) and others of authorizeDomain
   */
  return async function renderFor(from, use, beforeRender) {
    const sender = parseAddress(from);
    if (sender) requireSender(ctx.actor, sender.address);
    const domain = sender?.domain ?? '';
    const name = `${domain} ${use.id}`;
    const finding = found.get(name) ?? findPublished(ctx, domain, use.id);
    found.set(name, finding);
    const { used, render } = await finding.catch((error) => {
      // Another message can find it after the database is back.
      if (!(error instanceof AppError)) found.delete(name);
      throw error;
    });
    return { used, text: await render(use, beforeRender()) };
  };
}

/** Renders a version with the values of each message, one after another. */
function rendererOfVersion(render: (use: TemplateUse) => Promise<TemplatePreview>) {
  const failures: Exhausted[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const renderNext = async (use: TemplateUse): Promise<TemplatePreview> => {
    if (failures.length >= MAX_FAILURES) throw failures[0];
    try {
      const text = await render(use);
      failures.length = 0;
      return text;
    } catch (error) {
      if (error instanceof Exhausted) failures.push(error);
      throw error;
    }
  };
  // The turns are in the order of the messages, whichever of them is checked first.
  return (use: TemplateUse, checked: Promise<void>): Promise<TemplatePreview> => {
    checked.catch(() => {});
    const turn = last.then(() => checked).then(() => renderNext(use));
    last = turn.catch(() => {});
    return turn;
  };
}

/** The published version of a template of the sender's domain. */
async function findPublished(ctx: ActorContext, domainName: string, id: string) {
  // A domain that the caller can't send from is refused as in every send, and before the work.
  const domain = await authorizeDomain(ctx, { name: domainName }, { missingStatus: 403 });
  const row = await ctx.db.template.findFirst({
    where: { domainId: domain.id, ...(isTemplateId(id) ? { id } : { name: id }) },
    select: { id: true, name: true, publishedVersion: true },
  });
  if (!row) throw invalidTemplate(`${domain.name} has no template ${id}.`);
  const { publishedVersion: number } = row;
  const version =
    number === null
      ? null
      : await ctx.db.templateVersion.findUnique({ where: { templateId_number: { templateId: row.id, number } } });
  if (!version) throw invalidTemplate(`The template ${row.name} has no published version. Publish it first.`);
  const input = { domainId: domain.id, content: contentOf(version), key: version.id, path: 'template.variables' };
  return {
    used: { id: row.id, name: row.name, version: version.number },
    render: rendererOfVersion(({ variables, hasSubject, hasAttachments }) =>
      render({ ...input, values: variables, send: { hasSubject, hasAttachments } }),
    ),
  };
}

function invalidTemplate(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'template.id', message }] } });
}
