import { authedProcedure, router } from '@/server/procedures/trpc';
import { currentReference } from './reference';
import { FindOperations, NamedOperations } from './schema';

export const referenceRouter = router({
  operations: authedProcedure(FindOperations)
    .meta({ isOpenToScopedKeys: true })
    .output(NamedOperations)
    .query(({ input }) => ({ items: currentReference().named(input.q) })),
});
