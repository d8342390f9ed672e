// Contract: a process that applies the scenario and is killed before its n-th host call. Arguments: root, n, fault.
import * as path from 'node:path';
import { realHost } from '../../src/host.ts';
import { faultyHost } from './hosts.ts';
import type { Fault } from './hosts.ts';
import { stateDirs } from './home.ts';
import { runScenario } from './scenario.ts';

const [root = '', n = '0', fault = 'kill'] = process.argv.slice(2);
const home = path.join(root, 'home');
const host = realHost({ env: { HOME: home }, cwd: home });
const report = await runScenario(host, faultyHost(host, Number(n), fault as Fault), stateDirs(root), home);
process.stdout.write(JSON.stringify(report.ok));
