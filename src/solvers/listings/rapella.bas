100 INPUT N
110 DIM X(N), C(N), DS(2*N), DP(2*N)
120 K = 1 : J = 0
130 J = J + 1
140 IF J > N THEN GOTO 230
150 IF C(J)+DS(J+K)+DP(J-K+N) THEN GOTO 130
160 X(K) = J : C(J) = 1
170 DS(J+K) = 1 : DP(J-K+N) = 1
180 IF K < N THEN K = K+1 : J = 0 : GOTO 130
190 S$ = "" : I = 1
200 S$ = S$ + STR$(X(I)) : I = I + 1
210 IF I <= N THEN GOTO 200
220 PRINT S$ : GOTO 250
230 K = K - 1
240 IF K = 0 THEN END
250 J = X(K) : X(K) = 0 : C(J) = 0
260 DS(J+K) = 0 : DP(J-K+N) = 0 : GOTO 130
