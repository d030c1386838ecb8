import { join } from 'node:path';

/**
 * Returns the commands with which the services check a configuration. Redis has none.
 * @param {string} folder of the configuration
 * @param {string} data DATA_DIR
 */
export function checkersOf(folder, data) {
  const postfix = join(folder, 'postfix');
  const rspamd = {
    LOCAL_CONFDIR: join(folder, 'rspamd'),
    DBDIR: join(data, 'rspamd'),
    RUNDIR: join(data, 'run/rspamd'),
    LOGDIR: join(data, 'log/rspamd'),
  };
  const variables = Object.entries(rspamd).map(([name, value]) => `--var=${name}=${value}`);
  return [
    { name: 'postconf', file: 'postconf', args: ['-c', postfix, '-n'] },
    { name: 'postconf -M', file: 'postconf', args: ['-c', postfix, '-M'] },
    { name: 'postfix check', file: 'postfix', args: ['-c', postfix, 'check'] },
    { name: 'doveconf', file: 'doveconf', args: ['-c', join(folder, 'dovecot/dovecot.conf'), '-n'] },
    {
      name: 'rspamadm configtest',
      file: 'rspamadm',
      args: [...variables, 'configtest', '-c', '/etc/rspamd/rspamd.conf'],
    },
  ];
}
