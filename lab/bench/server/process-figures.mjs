// @ts-check
import { readdirSync, readFileSync } from 'node:fs';

/** Kernel ticks per second in /proc/PID/stat: 100 on every Linux that people use (`getconf CLK_TCK`). */
const TICKS = 100;

/** Processor seconds of user and system. @param {number} pid */
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** In main memory. @param {number} pid */
export function residentBytes(pid) {
  const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return 1024 * Number(kibibytes);
}

/** Files, sockets and event queues. @param {number} pid */
export const openDescriptors = (pid) => readdirSync(`/proc/${pid}/fd`).length;

/** @param {number} value */
export const rounded = (value) => Number(value.toFixed(3));

/** @param {number[]} values @returns {number} */
export const median = (values) =>
  /** @type {number} */ ([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]);
