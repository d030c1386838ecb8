import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { clusterMetrics } from '@/modules/metrics/cluster';
import { metrics, startProcessMetrics } from '@/server/metrics/metrics';
import { db } from '@/test/database';
import { METRICS_TOKEN, scrape } from '@/test/scrape';
import { setSettings } from '@/test/settings';
import { findPromtool } from '../../../scripts/testing/test-programs.mjs';

setSettings({ METRICS_TOKEN: 'metrics-token-of-the-tests' });

const FOLDER = 'deploy/monitoring';
const folder = mkdtempSync(join(tmpdir(), 'postroom-monitoring-'));
afterAll(() => rmSync(folder, { recursive: true }));

startProcessMetrics();
const { text } = await scrape();
const own = await ownMetrics();
const rules = readFileSync(`${FOLDER}/postroom.rules.yml`, 'utf8').replaceAll(/^#.*$/gm, '');
const dashboard = JSON.parse(readFileSync(`${FOLDER}/dashboard.json`, 'utf8')) as Dashboard;
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

type Dashboard = { panels: { id: number; targets?: { expr: string }[] }[] };
type Metric = { name: string; type: string; labels: string[]; help: string };

/** The metrics of Postroom itself, by their definitions. */
async function ownMetrics(): Promise<Metric[]> {
  const registries = [metrics().registry, await clusterMetrics(db)];
  const defined = registries.flatMap((registry) => registry.getMetricsAsArray()) as unknown as {
    name: string;
    help: string;
    labelNames: string[];
    constructor: { name: string };
  }[];
  return defined
    .filter(({ name }) => name.startsWith('postroom_'))
    .map((metric) => ({
      name: metric.name,
      help: metric.help,
      labels: metric.labelNames,
      type: metric.constructor.name.toLowerCase(),
    }));
}

function promtool(args: string[], input?: string): { status: number | null; output: string } {
  const path = findPromtool();
  if (!path) throw new Error('promtool was not found. Install Debian’s package prometheus, or set PROMTOOL_PATH.');
  const { status, stdout, stderr } = spawnSync(path, args, { input, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

describe('the metrics', () => {
  it('are those of the table in docs/monitoring.md, with their types, labels and meanings', () => {
    const rows = readFileSync('docs/monitoring.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `postroom_'));
    const documented = rows.map((row) => {
      const [name = '', type = '', labels = '', help = ''] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      const labelNames = [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label);
      return { name: name.replaceAll('`', ''), help, labels: labelNames, type };
    });
    expect(documented).toEqual(expect.arrayContaining(own));
    expect(own).toEqual(expect.arrayContaining(documented));
  });

  it('have labels that docs/monitoring.md explains', () => {
    const [, chapter = ''] = readFileSync('docs/monitoring.md', 'utf8').split('### Labels');
    const rows =
      chapter
        .split('\n## ')[0]
        ?.split('\n')
        .filter((line) => line.startsWith('| `')) ?? [];
    const explained = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, label]) => label),
    );
    const used = new Set(own.flatMap(({ labels }) => labels));
    expect([...used].filter((label) => !explained.includes(label))).toEqual(['version', 'commit', 'node']);
    expect(explained.filter((label) => !used.has(label ?? ''))).toEqual([]);
  });

  it('are valid for Prometheus, and follow its conventions', () => {
    const { status, output } = promtool(['check', 'metrics'], text);
    expect([0, 3]).toContain(status);
    const complaints = output.split('\n').filter((line) => line !== '' && !/^(nodejs|process)_/.test(line));
    expect(complaints).toEqual([]);
    expect(promtool(['check', 'metrics'], `${text}\npostroom broken{`).status).toBe(1);
  });

  it('are all the metrics that the rules and the dashboard use, with their labels', () => {
    const scraped = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    );
    const used = [rules, ...expressions].flatMap((source) => [
      ...source.matchAll(/\b(?:postroom|nodejs|process)_\w+/g),
    ]);
    const names = new Set(used.map(([name]) => name));
    expect(names.size).toBeGreaterThan(20);
    expect([...names].filter((name) => !scraped.includes(name))).toEqual([]);
    const wrong = [rules, ...expressions].flatMap(labelsIn).filter(({ metric, label }) => !hasLabel(metric, label));
    expect(wrong).toEqual([]);
  });
});

describe('the alert rules', () => {
  it('are valid and pass their tests, which test each of them', () => {
    expect(promtool(['check', 'rules', `${FOLDER}/postroom.rules.yml`])).toMatchObject({ status: 0 });
    const { status, output } = promtool(['test', 'rules', `${FOLDER}/postroom.rules.test.yml`]);
    expect({ status, output }).toMatchObject({ status: 0 });
    const tests = readFileSync(`${FOLDER}/postroom.rules.test.yml`, 'utf8');
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    const [quiet = '', ...firing] = tests.split('\n  - name: ').slice(1);
    for (const alert of alerts) {
      expect([alert, quiet.includes(`alertname: ${alert} }`)]).toEqual([alert, true]);
      const fires = new RegExp(`alertname: ${alert}\\n\\s+exp_alerts:`);
      expect([alert, firing.some((test) => fires.test(test))]).toEqual([alert, true]);
    }
  });

  it('fail their tests if they are wrong', () => {
    writeFileSync(join(folder, 'postroom.rules.yml'), rules.replaceAll('== 2', '== 3'));
    copyFileSync(`${FOLDER}/postroom.rules.test.yml`, join(folder, 'postroom.rules.test.yml'));
    expect(promtool(['test', 'rules', join(folder, 'postroom.rules.test.yml')]).status).not.toBe(0);
  });
});

it('the example configuration of Prometheus is valid with the rules', () => {
  const token = join(folder, 'token');
  writeFileSync(token, METRICS_TOKEN);
  copyFileSync(`${FOLDER}/postroom.rules.yml`, join(folder, 'postroom.rules.yml'));
  const config = readFileSync(`${FOLDER}/prometheus.yml`, 'utf8');
  writeFileSync(join(folder, 'prometheus.yml'), config.replace('/etc/prometheus/postroom-token', token));
  expect(promtool(['check', 'config', join(folder, 'prometheus.yml')])).toMatchObject({ status: 0 });
});

describe('the dashboard', () => {
  it('has valid expressions only, and panels with ids of their own', () => {
    const plain = expressions.map((expr) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'));
    const recorded = plain.map(
      (expr, index) => `      - record: dashboard:${index}\n        expr: ${JSON.stringify(expr)}\n`,
    );
    const file = join(folder, 'dashboard.rules.yml');
    writeFileSync(file, `groups:\n  - name: dashboard\n    rules:\n${recorded.join('')}`);
    expect(promtool(['check', 'rules', file])).toMatchObject({ status: 0 });
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

/** Returns the pairs of metric and label in `metric{label="value"}`. */
function labelsIn(source: string): { metric: string; label: string }[] {
  return [...source.matchAll(/\b((?:postroom|nodejs|process)_\w+)\{([^}]*)\}/g)].flatMap(
    ([, metric = '', inside = '']) =>
      [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => ({ metric, label })),
  );
}

/** Prometheus adds `job` and `instance`. */
function hasLabel(used: string, label: string): boolean {
  if (label === 'job' || label === 'instance') return true;
  return own.some(({ name, labels }) => used.startsWith(name) && labels.includes(label));
}
