import { prepareFirstAdmin } from '@/modules/auth/setup';
import { outboundMta } from '@/modules/sending/mta';
import { mtaKind } from '@/modules/sending/service';
import { env } from '@/server/env';

/** What one instance does before it serves. Throws where its configuration is wrong, so that it never half starts. */
export async function start(): Promise<void> {
  env();
  await prepareFirstAdmin();
  if (mtaKind() === 'sandbox') await outboundMta();
}
