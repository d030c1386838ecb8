import { router } from '@/server/procedures/trpc';
import { dmarcProcedures } from './dmarc/procedures';
import { tlsProcedures } from './tls/procedures';

export const reportsRouter = router({ ...dmarcProcedures, ...tlsProcedures });
