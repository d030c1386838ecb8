// CPU time of processes, by Linux's /proc.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Seconds of CPU that a process, its threads and its descendants have used, those that have ended included. */
export function cpuSeconds(pid) {
  const children = childrenByParent();
  const ofTree = (each) => {
    const { own, ended } = timesOf(each);
    return (children.get(each) ?? []).reduce((sum, child) => sum + ofTree(child), own + ended);
  };
  return ofTree(pid) / TICKS_PER_SECOND;
}

/** @param {import('pg').Client} db @returns the process that started the one of this connection */
export async function postmasterOf(db) {
  const { rows } = await db.query('SELECT pg_backend_pid() AS pid');
  return fieldsOf(rows[0].pid).parent;
}

function timesOf(pid) {
  try {
    const { times } = fieldsOf(pid);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = times;
    return { own: user + system, ended: endedUser + endedSystem };
  } catch {
    // It ended since it was listed, and its parent has its times.
    return { own: 0, ended: 0 };
  }
}

function childrenByParent() {
  const children = new Map();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const { parent } = fieldsOf(name);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It ended meanwhile.
    }
  }
  return children;
}

function fieldsOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name before them can have spaces and brackets.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { parent: fields[1], times: fields.slice(11, 15) };
}
