// Contract: rules about the running machine: power, processes, mounts, firewall, services, accounts, kernel. PURE.
import { readOptions } from '../shell/options.ts';
import type { Hit, Rule, Word } from '../types.ts';
import { alwaysRule, anyPattern, head, patternRule, rule, type Check } from './kit.ts';
import { has, isHelp, listed } from './options.ts';
import { writesOf } from './writes.ts';

const PACK = 'disk';

const first = (args: readonly Word[]): Word | undefined => args.find(({ text }) => text[0] !== '-');

/** `shutdown -c` takes an earlier one back. */
const power: Check = ({ program, args }) => {
  if (isHelp(args) || args.some(({ text }) => text === '--version' || text === '-c' || text === '-k' || text === '--show' || text === '-w' || text === '--wtmp-only' || text === '/a' || text === '-a' || text === '/?')) return undefined;
  if (program === 'init' || program === 'telinit') {
    const level = first(args);
    return listed('0 1 6 s S', level?.text ?? '') ? { at: level } : undefined;
  }
  if (program === 'systemctl' || program === 'loginctl') {
    const verb = first(args);
    return listed('reboot poweroff halt suspend hibernate hybrid-sleep kexec rescue emergency soft-reboot exit', verb?.text ?? '') ? { at: verb } : undefined;
  }
  if (program === 'osascript') {
    const at = args.find(({ text }) => /\bto (?:shut ?down|restart|log out|sleep)\b/iu.test(text));
    return at === undefined ? undefined : { at };
  }
  return {};
};

const SIGNALS = 's n'.split(' ');

/** The process numbers of a kill; options with their values left out. `-9 -1` names signal and every process. */
function killTargets(args: readonly Word[]): readonly Word[] {
  let signal = false;
  const targets: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as Word;
    const { text } = word;
    if (text === '--') return [...targets, ...args.slice(at + 1)];
    if (SIGNALS.some((letter) => text === `-${letter}`) || text === '--signal') { signal = true; at++; continue; }
    if (text === '-l' || text === '-L' || text === '--list' || text === '-0') return [];
    if (text[0] === '-' && !signal && targets.length === 0) { signal = true; continue; }
    targets.push(word);
  }
  return targets;
}

const killAll: Check = ({ program, args }) => {
  if (program === 'kill') {
    const at = killTargets(args).find(({ text }) => text === '-1' || text === '1');
    return at === undefined ? undefined : { at };
  }
  if (program === 'killall5') return isHelp(args) ? undefined : {};
  const read = readOptions(args, { valued: 'ugGPstTUFno', longs: 'user= signal= group= parent= session= terminal= euid= uid= pidfile= ns= exact full' });
  const user = read.options.find(({ name }) => listed('-u -U --user --euid --uid', name));
  if (user !== undefined && read.operands.length === 0) return { at: user.word };
  const at = read.operands.find(({ text }) => listed('. .* init systemd launchd sshd Xorg gnome-shell WindowServer', text));
  return at === undefined ? undefined : { at };
};

const sysrq: Check = (effective) => {
  const found = writesOf(effective).find(({ text }) => text === '/proc/sysrq-trigger');
  return found === undefined ? undefined : { at: found.word };
};

const SYSTEM_MOUNTS = '/ /home /boot /boot/efi /usr /var /opt /etc /proc /sys /dev /tmp';

const mounts: Check = ({ program, args }) => {
  if (isHelp(args)) return undefined;
  const read = readOptions(args, { valued: 'oOtTLUN', longs: 'options= types= test-opts= source= target= label= uuid= all bind rbind move make-private read-only force lazy recursive' });
  const on = read.operands.find(({ text }) => listed(SYSTEM_MOUNTS, text));
  if (program === 'umount') {
    const all = read.options.find(({ name }) => name === '-a' || name === '--all');
    return all !== undefined ? { at: all.word } : on === undefined ? undefined : { at: on };
  }
  const remount = read.options.find(({ name, value }) => (name === '-o' || name === '--options') && (value ?? '').split(',').includes('remount'));
  if (remount !== undefined && on !== undefined) return { at: remount.word };
  const target = read.operands[1];
  return target !== undefined && listed(SYSTEM_MOUNTS, target.text) ? { at: target } : undefined;
};

const firewall: Check = ({ program, args }) => {
  const { options, operands } = readOptions(args, { valued: 'tADIjpsdioPm', longs: 'flush delete-chain policy= table= panic-on panic-off complete-reload' });
  const read = { options, operands };
  if (isHelp(args)) return undefined;
  switch (program) {
    case 'ufw': return anyPattern(['disable', 'reset', '** reset', '** disable', 'default allow'], read);
    case 'nft': return anyPattern(['flush ruleset|table|chain', 'delete table'], read);
    case 'pfctl': return has(read, '-d -F') ? {} : undefined;
    case 'firewall-cmd': return has(read, '--panic-on --panic-off') ? {} : undefined;
    default: return has(read, '-F --flush -X --delete-chain') || options.some(({ name, value }) => (name === '-P' || name === '--policy') && value !== undefined && operands[0]?.text === 'ACCEPT') ? {} : undefined;
  }
};

const ESSENTIAL = 'ssh sshd networkmanager systemd-networkd systemd-resolved systemd-logind systemd-journald dbus firewalld ufw nftables iptables auditd apparmor selinux falco crowdstrike falcon-sensor osqueryd fail2ban cron crond udev systemd-udevd polkit display-manager gdm lightdm';

function essential(words: readonly Word[]): Word | undefined {
  return words.find(({ text }) => {
    const name = text.toLowerCase();
    const dot = name.lastIndexOf('.');
    return listed(ESSENTIAL, dot === -1 ? name : name.slice(0, dot)) || name.startsWith('system.slice') || name.endsWith('.target');
  });
}

const services: Check = ({ program, args }) => {
  const operands = args.filter(({ text }) => text[0] !== '-');
  if (program === 'service') return listed('stop', operands[1]?.text ?? '') ? asHit(essential(operands.slice(0, 1))) : undefined;
  if (program === 'launchctl') return listed('unload bootout remove disable', operands[0]?.text ?? '') ? { at: operands[0] } : undefined;
  if (operands[0]?.text === 'isolate' || operands[0]?.text === 'set-default') return { at: operands[0] };
  return listed('stop disable mask kill', operands[0]?.text ?? '') ? asHit(essential(operands.slice(1))) : undefined;
};

const asHit = (at: Word | undefined): Hit | undefined => (at === undefined ? undefined : { at });

const privileges: Check = ({ program, args }) => {
  if (isHelp(args) || args.some(({ text }) => listed('-S --status --version -V -c --check', text))) return undefined;
  if (program !== 'usermod' && program !== 'gpasswd' && program !== 'adduser' && program !== 'addgroup') return {};
  const at = args.find(({ text }) => text.split(',').some((group) => listed('sudo wheel root admin docker shadow disk', group)));
  return asHit(at);
};

const CORE_PACKAGES = 'libc6 glibc systemd bash coreutils util-linux sudo apt dpkg rpm dnf linux-image openssh-server init python3 python3-minimal base-files login passwd mount libc-bin kernel gnupg';

const packages: Check = ({ args }) => {
  const operands = args.filter(({ text }) => text[0] !== '-');
  const verb = operands[0]?.text ?? '';
  const removing = listed('remove purge erase autoremove uninstall', verb) || args.some(({ text }) => listed('-r -P -e --remove --purge --erase -R -Rns -Rsc -Rdd', text));
  const at = operands.find(({ text }) => listed(CORE_PACKAGES, text) || text.startsWith('linux-image') || text === '*');
  return removing ? asHit(at) : undefined;
};

export const HOST_RULES: readonly Rule[] = [
  rule(PACK, head('host.power', 'shutdown, reboot, halt, poweroff, init 0', 'This stops or restarts the machine with everything that runs on it. Ask the person.'), 'shutdown reboot halt poweroff init telinit systemctl loginctl osascript', power),
  rule(PACK, head('host.kill-all', 'kill -9 -1, killall5, pkill of a whole user', 'This ends every process of the machine or of a user. End the processes you mean by number.'), 'kill killall5 pkill killall skill', killAll),
  rule(PACK, head('host.sysrq', 'writing to /proc/sysrq-trigger', 'This stops the machine at once, without saving anything. Ask the person.'), 'tee dd cp', sysrq, 'redirects'),
  rule(PACK, head('host.mount', 'umount or remount of system directories', 'This takes directories of the system away or changes them. A person must confirm it.', 'ask'), 'mount umount', mounts),
  rule(PACK, head('host.firewall', 'iptables -F, nft flush, ufw disable', 'This switches the firewall off. A person must confirm it.', 'ask'), 'iptables ip6tables nft ufw pfctl firewall-cmd', firewall),
  rule(PACK, head('host.service', 'stopping or disabling essential services', 'The machine or the person\'s access depends on this service. A person must confirm it.', 'ask'), 'systemctl service launchctl', services),
  alwaysRule(PACK, head('host.account.remove', 'userdel, groupdel', 'This removes an account of the machine, perhaps with its files. Ask the person.'), 'userdel deluser groupdel delgroup'),
  rule(PACK, head('host.account.change', 'passwd, visudo, usermod into sudo groups', 'This changes who may do what on the machine. A person must do it.', 'ask'), 'passwd chpasswd visudo vipw vigr usermod gpasswd adduser addgroup', privileges),
  rule(PACK, head('host.kernel', 'loading and unloading kernel modules, sysctl -w', 'This changes the running kernel. A person must confirm it.', 'ask'), 'modprobe insmod rmmod kexec sysctl', ({ program, args }) => {
    if (isHelp(args) || args.some(({ text }) => listed('-n --dry-run --show --show-depends -D -c --showconfig --version -V', text))) return undefined;
    if (program !== 'sysctl') return args.length === 0 ? undefined : {};
    return asHit(args.find(({ text }) => text === '-w' || text === '--write' || text === '-p' || (text[0] !== '-' && text.includes('='))));
  }),
  patternRule(PACK, head('host.security.off', 'setenforce 0, spctl --master-disable, csrutil disable', 'This switches a protection of the system off. Ask the person.'), 'setenforce spctl csrutil auditctl aa-teardown aa-disable nvram efibootmgr', { exact: true },
    ['0|Permissive|permissive', '--master-disable|--global-disable', 'disable', '-D', '-e 0', '-c', '-B', '/*']),
  rule(PACK, head('host.package.core', 'removing core packages of the system', 'The system does not work without this package. Ask the person.'), 'apt apt-get aptitude dpkg dnf yum rpm pacman zypper', packages),
];
