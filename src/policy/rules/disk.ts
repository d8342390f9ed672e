// Contract: rules about block devices and file systems: what they overwrite is gone without a trace. PURE.
import type { Hit, Rule, Word } from '../types.ts';
import { FORK_BOMB } from '../types.ts';
import { alwaysRule, head, patternRule, rule, type Check } from './kit.ts';
import { isHelp } from './options.ts';
import { writesOf, WRITING_PROGRAMS } from './writes.ts';

const PACK = 'disk';
const REASON = 'This overwrites a disk or its file systems and cannot be undone. Work on an image file, or ask the person.';

const DEVICES = ['sd', 'hd', 'vd', 'xvd', 'nvme', 'mmcblk', 'disk', 'rdisk', 'md', 'dm-', 'mapper/', 'loop', 'zd', 'nbd', 'mem', 'kmem', 'port', 'sr', 'pmem', 'disk/by-', 'vg', 'zvol/', 'mtd', 'ubi', 'block/', 'bcache'];

/** `/dev/sda`, `/dev/disk/by-id/...`, `\\.\PhysicalDrive0`; not `/dev/null` and the like. */
export function isDevice(text: string): boolean {
  if (text.toLowerCase().startsWith('\\\\.\\')) return true;
  if (!text.startsWith('/dev/')) return false;
  const name = text.slice('/dev/'.length);
  return name !== 'md' && name !== 'stdin' && DEVICES.some((prefix) => name.startsWith(prefix));
}

const deviceWrite: Check = (effective) => {
  const found = writesOf(effective).find(({ text, how }) => how !== 'mode' && isDevice(text));
  if (found !== undefined) return { at: found.word };
  if (effective.program !== 'ddrescue' && effective.program !== 'pv' && effective.program !== 'badblocks' && effective.program !== 'dcfldd') return undefined;
  const { args } = effective;
  const at = effective.program === 'badblocks' ? (args.some(({ text }) => text[0] === '-' && text[1] !== '-' && text.includes('w')) ? args.find(({ text }) => isDevice(text)) : undefined)
    : effective.program === 'dcfldd' ? args.find(({ text }) => text.startsWith('of=') && isDevice(text.slice(3)))
      : effective.program === 'ddrescue' ? args.filter(({ text }) => text[0] !== '-')[1] : undefined;
  return at !== undefined && (effective.program === 'dcfldd' || isDevice(at.text)) ? { at } : undefined;
};

/** A file system is made on a device, not in an image file; where the target is not known a person decides. */
const makesFileSystem: Check = ({ args }) => {
  if (isHelp(args) || args.length === 0) return undefined;
  const at = args.find(({ text }) => isDevice(text));
  if (at !== undefined) return { at };
  const last: Word | undefined = args[args.length - 1];
  return last?.dynamic === true ? { at: last, decision: 'ask' } : undefined;
};

const LOOKS: Readonly<Record<string, string>> = {
  fdisk: ' -l --list -x -s --getsz -V --version ', sfdisk: ' -l --list -d --dump -J --json -s -V --verify --list-types -T ', gdisk: ' -l ', cfdisk: ' -V --version ',
  sgdisk: ' -p --print -i --info -v --verify -L --list-types -b --backup ', parted: ' -l --list print -v --version ', wipefs: ' -n --no-act -J --json -V --version ', blkdiscard: ' -V --version ',
};

const partitions: Check = ({ program, args }) => {
  const looks = Object.prototype.hasOwnProperty.call(LOOKS, program) ? LOOKS[program] ?? '' : '';
  if (isHelp(args) || args.length === 0 || args.some(({ text }) => looks.includes(` ${text} `))) return undefined;
  if (program === 'wipefs' && !args.some(({ text }) => text === '-a' || text === '--all' || text.startsWith('-o') || text === '--offset' || (text[0] === '-' && text[1] !== '-' && text.includes('a')))) return undefined;
  const at = args.find(({ text }) => isDevice(text));
  // Image files are the person's to play with.
  const target = args.find(({ text }) => text[0] !== '-' && text.includes('.'));
  return at === undefined && target !== undefined ? undefined : { at };
};

const hardware: Check = ({ program, args }): Hit | undefined => {
  const wanted = program === 'hdparm' ? '--security-erase --security-erase-enhanced --make-bad-sector --trim-sector-ranges --fwdownload --dco-restore' : '--zero-superblock --remove --fail --stop';
  const at = args.find(({ text }) => ` ${wanted} `.includes(` ${text} `));
  return at === undefined ? undefined : program === 'mdadm' && at.text !== '--zero-superblock' ? { at, decision: 'ask' } : { at };
};

const MKFS = 'mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mkfs.exfat mkfs.minix mkfs.msdos mkfs.jfs mkfs.reiserfs mkfs.nilfs2 mkfs.erofs mke2fs mkdosfs mkntfs mkexfatfs mkreiserfs mkswap newfs newfs_hfs newfs_apfs newfs_msdos';

export const DISK_RULES: readonly Rule[] = [
  rule(PACK, head('disk.write', 'writing to a block device by dd, a redirection, cp, shred, tee', REASON), `ddrescue badblocks dcfldd ${WRITING_PROGRAMS}`, deviceWrite, 'redirects'),
  rule(PACK, head('disk.mkfs', 'making a file system on a device', REASON), MKFS, makesFileSystem),
  rule(PACK, head('disk.partition', 'fdisk, parted, sgdisk, wipefs, blkdiscard', REASON), Object.keys(LOOKS).join(' '), partitions),
  patternRule(PACK, head('disk.luks', 'cryptsetup luksFormat, erase, luksKillSlot', 'This makes encrypted data unreadable for ever. Ask the person.'), 'cryptsetup', {},
    ['luksFormat', 'luksErase', 'erase', 'luksKillSlot', 'luksRemoveKey', 'reencrypt', 'luksformat', 'plainOpen']),
  alwaysRule(PACK, head('disk.lvm', 'lvremove, vgremove, pvremove, lvreduce', REASON), 'lvremove vgremove pvremove lvreduce vgreduce', '-t --test'),
  patternRule(PACK, head('disk.pool', 'zpool destroy, zfs destroy, btrfs subvolume delete, lvm lvremove', 'This deletes a file system with everything in it. Ask the person.'), 'zpool zfs btrfs lvm', {},
    ['destroy !-n', 'labelclear', 'rollback -r|-R', 'subvolume delete', 'lvremove', 'vgremove', 'pvremove']),
  rule(PACK, head('disk.hardware', 'hdparm --security-erase, mdadm --zero-superblock', REASON), 'hdparm mdadm', hardware),
  patternRule(PACK, head('disk.nvme', 'nvme format, nvme sanitize', REASON), 'nvme', {}, ['format', 'sanitize', 'delete-ns', 'write-zeroes', 'write']),
  patternRule(PACK, head('disk.diskutil', 'diskutil eraseDisk, partitionDisk, apfs delete', REASON), 'diskutil', {},
    ['eraseDisk|erasedisk|eraseVolume|erasevolume|partitionDisk|partitiondisk|secureErase|secureerase|zeroDisk|zerodisk|randomDisk|randomdisk|reformat', 'apfs deleteContainer|deleteVolume|eraseVolume|deletecontainer|deletevolume', 'coreStorage|cs delete']),
  rule(PACK, head('disk.fork-bomb', 'a function that starts itself twice', 'This starts processes until the machine stops. There is no safe form of it.'), FORK_BOMB, () => ({})),
];
