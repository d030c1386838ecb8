import { authedProcedure, router } from '@/server/procedures/trpc';
import { sectionsNamed } from './chapters';
import { FindSections, Sections } from './schema';

export const docsRouter = router({
  sections: authedProcedure(FindSections)
    .meta({ isOpenToScopedKeys: true })
    .output(Sections)
    .query(({ input }) => ({ items: sectionsNamed(input.q) })),
});
