// Tests never reach the real home directory: realHost() throws on any path below it while this guard is set.
process.env['PRAETORCTL_TEST_GUARD'] = '1';
delete process.env['NODE_EXTRA_CA_CERTS'];
