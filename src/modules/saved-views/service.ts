import { viewQuery } from '@/lib/saved-views';
import { notFoundIfMissing, type Tx, violatedConstraint } from '@/server/database/db';
import { AppError, notFound } from '@/server/errors';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { type CreateSavedView, type ListSavedViews, queryError, type SavedView, type UpdateSavedView } from './schema';

const MAX_VIEWS = 50;

/** The caller's own, by name. */
export async function listSavedViews({ db, actor }: ActorContext, { page }: ListSavedViews): Promise<SavedView[]> {
  const where = { adminId: actor.admin.id, page };
  const rows = await db.savedView.findMany({ where, orderBy: [{ page: 'asc' }, { name: 'asc' }], take: MAX_VIEWS });
  return rows.map(present);
}

export async function getSavedView(ctx: ActorContext, { id }: { id: string }): Promise<SavedView> {
  return present(await requireView(ctx, ctx.db, id));
}

/** @throws CONFLICT if the list has a view of that name, or the admin 50 views */
export async function createSavedView(ctx: MutationContext, input: CreateSavedView): Promise<SavedView> {
  const { page, name } = input;
  const adminId = ctx.actor.admin.id;
  const query = viewQuery(page, new URLSearchParams(input.query));
  return ctx
    .transaction(async ({ tx, audit }) => {
      await requireCapacity(tx, adminId);
      const view = present(
        await tx.savedView.create({ data: { adminId, page, name, query, createdAt: ctx.clock.now() } }),
      );
      await audit({ resource: `saved_view:${view.id}`, before: null, after: view });
      return view;
    })
    .catch((error) => {
      if (violatedConstraint(error) === null) throw error;
      const message = `You already have a view named ${name}. Choose another name.`;
      throw new AppError('CONFLICT', message, { details: { fields: [{ path: 'name', message }] } });
    });
}

/** Replaces the filters and the order. @throws NOT_FOUND, VALIDATION_ERROR */
export async function updateSavedView(ctx: MutationContext, input: UpdateSavedView): Promise<SavedView> {
  const { id } = input;
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const before = present(await requireView(ctx, tx, id));
    const message = queryError(before.page, input.query);
    if (message) throw new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'query', message }] } });
    const query = viewQuery(before.page, new URLSearchParams(input.query));
    const row = await tx.savedView.update({ where: { id }, data: { query } }).catch(notFoundIfMissing('saved view'));
    const after = present(row);
    await audit({ resource: `saved_view:${id}`, before, after });
    return after;
  });
}

/** @throws NOT_FOUND */
export async function deleteSavedView(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const before = present(await requireView(ctx, tx, id));
    const { count } = await tx.savedView.deleteMany({ where: { id } });
    if (count === 0) throw notFound('saved view');
    await audit({ resource: `saved_view:${id}`, before, after: null });
    return { message: `View ${before.name} deleted.` };
  });
}

/** Locks the admin, so that views that are saved at the same time are counted one after the other. */
async function requireCapacity(tx: Tx, adminId: string): Promise<void> {
  const locked = await tx.$queryRaw<unknown[]>`SELECT 1 FROM admin WHERE id = ${adminId}::uuid FOR NO KEY UPDATE`;
  if (locked.length === 0) throw new AppError('SESSION_INVALID', 'This session has just ended. Sign in again.');
  if ((await tx.savedView.count({ where: { adminId } })) < MAX_VIEWS) return;
  throw new AppError('CONFLICT', `You have ${MAX_VIEWS} views, which is the limit. Delete one to save another.`);
}

async function requireView(ctx: ActorContext, tx: Tx, id: string): Promise<Row> {
  const row = await tx.savedView.findFirst({ where: { id, adminId: ctx.actor.admin.id } });
  if (!row) throw notFound('saved view');
  return row;
}

type Row = Prisma.SavedViewGetPayload<object>;

function present({ id, page, name, query, createdAt, updatedAt }: Row): SavedView {
  return {
    id,
    page: page as SavedView['page'],
    name,
    query,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
