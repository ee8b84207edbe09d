#!/usr/bin/perl
# activate.pl NAME=ADDRESS... -- COMMAND...: opens sockets and passes them to a command, as systemd does: it keeps them open, and when
# the command is over begins it again as soon as somebody connects. SIGHUP ends the command, SIGTERM that and all. An address is
# host:port or a path; NAME may be empty, and with NAMES=no nothing is told of them.
use strict;
use warnings;
use Fcntl;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX qw(dup2);

my (@names, @sockets);
while (@ARGV and (my $word = shift) ne '--') {
    my ($name, $at) = split /=/, $word, 2;
    my $socket = $at =~ m{^/} ? IO::Socket::UNIX->new(Local => $at, Listen => 64) : IO::Socket::INET->new(LocalAddr => $at, Listen => 64);
    push @names, $name;
    push @sockets, $socket || die "$at: $!";
}

my ($child, $over) = (0, 0);
$SIG{HUP} = sub { kill TERM => $child if $child };
$SIG{TERM} = sub { $over = 1; kill TERM => $child if $child };

sub run {
    $child = fork // die "fork: $!";
    return if $child;
    my @high = map { fcntl($_, F_DUPFD, 40) } @sockets;
    dup2($high[$_], 3 + $_) for 0 .. $#high;
    POSIX::close($_) for @high;
    ($ENV{LISTEN_PID}, $ENV{LISTEN_FDS}) = ($$, scalar @sockets);
    $ENV{LISTEN_FDNAMES} = join ':', @names if ($ENV{NAMES} // '') ne 'no';
    exec @ARGV or die "$ARGV[0]: $!";
}

for (run(); ; run()) {
    1 while waitpid($child, 0) < 0 and $!{EINTR};
    my $status = $?;
    $child = 0;
    exit($status >> 8 || $status) if $over or $status;
    my $wanted = '';
    vec($wanted, $_->fileno, 1) = 1 for @sockets;
    1 while !$over and select(my $ready = $wanted, undef, undef, undef) < 0;
    exit 0 if $over;
}
