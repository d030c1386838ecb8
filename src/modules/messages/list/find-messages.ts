import { findPage } from '@/server/list/find-page';
import type { Found, Position } from '@/server/pagination';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { ListMessages } from '../schema';
import { meaningsOf } from './meanings';
import { type SummaryRow, searchOf } from './selection';

export async function findMessages(
  ctx: ActorContext,
  input: ListMessages,
  position: Position | null,
): Promise<Found<SummaryRow>> {
  const meanings = input.q === undefined ? [{}] : await meaningsOf(ctx.db, input.q);
  const searches = meanings.map((meaning) => searchOf(ctx, input, position, meaning));
  return findPage(ctx.db, searches, { key: Prisma.sql`m.subject_key`, take: input.limit + 1 });
}
