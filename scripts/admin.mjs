// `npm run admin -- create|password|reset-totp <email>`: restores access for admins who cannot sign in, on the host,
// `npm run admin -- api-key <name>` makes an API key, and `npm run admin -- accept-audit-log` accepts an audit log that went back. Works
// whether or not the app is running.
import { readArguments } from './admin/arguments.mjs';
import { runOnDatabase } from './postgres/database-command.mjs';

const { usage, request } = readArguments(process.argv.slice(2));
if (request) {
  await runOnDatabase(async (client) => {
    const { acceptAuditLog } = await import('./admin/accept-audit-log.mjs');
    const verbs = {
      ...(await import('./admin/accounts.mjs')),
      ...(await import('./admin/api-keys.mjs')),
      acceptAuditLog,
    };
    console.log(await verbs[request.verb](client, request));
  });
} else {
  console.error(usage);
  process.exitCode = 2;
}
